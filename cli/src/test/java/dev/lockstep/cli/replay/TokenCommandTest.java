package dev.lockstep.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.replayer.rewriting.LiveToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@SuppressWarnings("try") // what is started is closed, and else left alone
class TokenCommandTest {
    private static final Duration PAUSE = Duration.ofMillis(10);

    @TempDir
    private Path folder;

    private final LiveToken token = new LiveToken();

    private static String jwt(String claims) {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        return "e30." + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + ".c2ln";
    }

    /** Prints a token, and notes each time that it ran. */
    private String printing() {
        return "echo ran >> " + folder.resolve("runs") + "; echo x";
    }

    private long runs() throws IOException {
        Path runs = folder.resolve("runs");
        return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(5);
        }
    }

    @Test
    void takesTheFirstLineOfWhatTheCommandPrints() {
        try (TokenCommand command = TokenCommand.start("printf 'abc.def\nmore\n'", null, token)) {
            assertEquals("Bearer abc.def", token.credentials());
            assertEquals(0, token.renewals());
        }
    }

    @Test
    void renewsBeforeATokenExpires() throws Exception {
        AtomicLong second = new AtomicLong(1_000_000);
        AtomicInteger looks = new AtomicInteger();
        Supplier<Instant> clock = () -> {
            looks.incrementAndGet();
            return Instant.ofEpochSecond(second.get());
        };
        String soon = jwt("{\"sub\":{\"exp\":1},\"exp\":1001000}");
        Path next = Files.writeString(folder.resolve("token"), soon);
        try (TokenCommand command = TokenCommand.start("cat " + next, null, PAUSE, clock, token)) {
            assertEquals("Bearer " + soon, token.credentials());
            Files.writeString(next, "another");
            second.set(1_000_799);
            int before = looks.get();
            await(() -> looks.get() >= before + 3);
            assertEquals(0, token.renewals());

            second.set(1_000_800);
            await(() -> token.renewals() == 1);

            assertEquals("Bearer another", token.credentials());
        }
    }

    @Test
    void endsACommandThatRunsBeforeItIsClosed() throws Exception {
        Path pid = folder.resolve("pid");
        String command = "[ -e " + pid + " ] || { : > " + pid + "; echo first; exit; }; echo $$ > " + pid
                + "; sleep 1000; echo second";
        long running;
        try (TokenCommand started = TokenCommand.start(command, Duration.ofMillis(20), token)) {
            while (Files.size(pid) == 0 || !Files.readString(pid).endsWith("\n")) {
                Thread.sleep(5);
            }
            running = Long.parseLong(Files.readString(pid).strip());
            assertTrue(ProcessHandle.of(running).isPresent());
        }
        assertTrue(ProcessHandle.of(running).isEmpty(), "ended by now");
        assertEquals("Bearer first", token.credentials());
    }

    @Test
    void renewsAsOftenAsToldAndWhereAnswersRefuseTheToken() throws Exception {
        try (TokenCommand command = TokenCommand.start(printing(), Duration.ofMillis(20), token)) {
            await(() -> token.renewals() >= 2);
        }
        LiveToken refused = new LiveToken();
        try (TokenCommand command = TokenCommand.start(printing(), null, PAUSE, Instant::now, refused)) {
            for (int i = 0; i < 3; i++) {
                refused.countRefused();
            }
            await(() -> refused.renewals() == 1);
        }
        assertTrue(runs() >= 5, "ran " + runs());
    }

    @Test
    void keepsTheTokenWhereTheCommandFailsLater() throws Exception {
        Path once = folder.resolve("once");
        String command = "[ -e " + once + " ] && exit 3; touch " + once + "; echo first";
        try (TokenCommand started = TokenCommand.start(command, Duration.ofMillis(20), PAUSE, Instant::now, token)) {
            await(() -> token.failures() >= 2);

            assertEquals("Bearer first", token.credentials());
            assertEquals(0, token.renewals());
        }
    }

    @Test
    void saysInOneLineThatThereIsNoTokenAndNeverWhatWasPrinted() {
        assertFails("echo secret; exit 3", "expected a token, found that the command failed with exit status 3");
        assertFails("true", "expected a token on the first line of the command's output, found none");
        assertFails(
                "echo Bearer secret",
                "expected a token alone on the first line of the command's output, found blanks or other than ASCII in"
                        + " it");
        assertFails(
                "head -c 100000 /dev/zero | tr '\\0' x", "expected a token of at most 16384 characters, found more");
        assertFails(
                "echo " + jwt("{\"exp\":1000}"),
                "expected a token that is valid now, found one that expired at 1970-01-01T00:16:40Z");
    }

    private void assertFails(String command, String message) {
        CliException failure = assertThrows(CliException.class, () -> TokenCommand.start(command, null, token));
        assertEquals("--token-command: " + message, failure.getMessage());
        assertFalse(failure instanceof UsageException, "exit code 1");
    }

    @Test
    void readsWhenAJsonWebTokenExpires() {
        assertEquals(OptionalLong.of(1700000000), TokenCommand.expirySecond(jwt("{\"a\":[1,{}],\"exp\":1700000000}")));
        assertEquals(OptionalLong.of(1700000000), TokenCommand.expirySecond(jwt("{\"exp\":1.7e9}")));
        for (String other : new String[] {
            "opaque",
            "a.b.c",
            "a.!.c",
            jwt("{}"),
            jwt("{\"exp\":\"soon\"}"),
            jwt("[1]"),
            jwt("{\"exp\":1e300}"),
            jwt("{\"exp\""),
            jwt("{\"x\":{\"exp\":5}}")
        }) {
            assertEquals(OptionalLong.empty(), TokenCommand.expirySecond(other), other);
        }
    }
}
