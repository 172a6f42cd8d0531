package dev.lockstep.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.launcher.ProcessStarter;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.replayer.rewriting.LiveToken;
import dev.lockstep.results.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A command of the user's that prints a token: run at the start, and again before the token expires, by a thread of its
 * own. What it prints is secret, and no message tells of it. Closed by the thread that started it.
 */
final class TokenCommand implements AutoCloseable {
    /** How long the command may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int LONGEST_TOKEN = 16 << 10;
    /** For which part of its lifetime a token is used. */
    private static final double USED = 0.8;
    /** So many answers with status 401 ask for another token. */
    private static final long REFUSALS = 3;
    /** Minimum time between two runs of the command for refusals, and after a failure. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private static final long LOOK_MS = 100;
    /** How long a command that is killed may take to end: the kernel may keep it in a read of a dead disk. */
    private static final long ENDS_MS = 5_000;
    /** The year 9999. */
    private static final long LAST_SECOND = 253_402_300_799L;

    private final String command;
    private final Duration every;
    private final Duration pause;
    private final Supplier<Instant> clock;
    private final LiveToken token;
    private final Thread renewing = new Thread(this::renew, "lockstep-token");
    private volatile boolean closed;

    // Of the thread that runs the command.
    private Instant ranAt;
    /** When the token is renewed at the latest, or null. */
    private Instant renewAt;
    /** How many answers had refused a token by then. */
    private long refusedBefore;

    private TokenCommand(String command, Duration every, Duration pause, Supplier<Instant> clock, LiveToken token) {
        this.command = command;
        this.every = every;
        this.pause = pause;
        this.clock = clock;
        this.token = token;
        renewing.setDaemon(true);
    }

    /**
     * Runs the command and sets the token; renews it until it is closed.
     *
     * @param every how long a token is used at most; null where only the token itself, and refusals, tell
     * @throws CliException where the command brings no token, in one line
     */
    static TokenCommand start(String command, Duration every, LiveToken token) {
        return start(command, every, PAUSE, Instant::now, token);
    }

    /** @param clock is asked by the command's thread, ten times a second */
    static TokenCommand start(
            String command, Duration every, Duration pause, Supplier<Instant> clock, LiveToken token) {
        TokenCommand started = new TokenCommand(command, every, pause, clock, token);
        try {
            started.fetch(Redirect.INHERIT);
        } catch (IOException e) {
            throw new CliException("--token-command: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliException("--token-command: interrupted before it brought a token");
        }
        started.renewing.start();
        return started;
    }

    private void renew() {
        try {
            while (!closed) {
                Thread.sleep(LOOK_MS);
                if (isDue(clock.get())) {
                    try {
                        // By now standard error shows how the run goes on.
                        fetch(Redirect.DISCARD);
                    } catch (IOException e) {
                        token.failed();
                        ran();
                        renewAt = renewAt == null ? null : ranAt.plus(pause);
                    }
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private boolean isDue(Instant now) {
        boolean refused = token.refused() - refusedBefore >= REFUSALS && !now.isBefore(ranAt.plus(pause));
        return refused || renewAt != null && !now.isBefore(renewAt);
    }

    private void ran() {
        ranAt = clock.get();
        refusedBefore = token.refused();
    }

    private void fetch(Redirect error) throws IOException, InterruptedException {
        String fetched = checked(firstLine(error));
        Instant now = clock.get();
        OptionalLong expires = expirySecond(fetched);
        if (expires.isPresent() && expires.getAsLong() <= now.getEpochSecond()) {
            throw new IOException("expected a token that is valid now, found one that expired at "
                    + Instant.ofEpochSecond(expires.getAsLong()));
        }
        boolean same = token.isSame(fetched);
        token.set(fetched);
        ran();
        renewAt = every == null ? null : now.plus(every);
        if (expires.isPresent()) {
            Instant inTime = now.plusMillis((long) (USED * (expires.getAsLong() * 1000 - now.toEpochMilli())));
            // A command that keeps its token gives the same one for a while.
            inTime = same && inTime.isBefore(now.plus(pause)) ? now.plus(pause) : inTime;
            renewAt = renewAt == null || inTime.isBefore(renewAt) ? inTime : renewAt;
        }
    }

    /** Runs the command to its end, and returns the first line that it prints. */
    private String firstLine(Redirect error) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command)
                .redirectInput(new File("/dev/null"))
                .redirectError(error);
        ProcessStarter.restoreLocale(builder.environment());
        Process process = builder.start();
        try {
            CompletableFuture<String> line = new CompletableFuture<>();
            Thread reader = new Thread(() -> read(process.getInputStream(), line), "lockstep-token-reader");
            reader.setDaemon(true);
            reader.start();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("expected a token within " + PATIENCE.toSeconds()
                        + " s, found that the command still runs; it must not ask anything");
            }
            if (process.exitValue() != 0) {
                throw new IOException(
                        "expected a token, found that the command failed with exit status " + process.exitValue());
            }
            return line.get(1, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the output of the command could not be read");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.waitFor(ENDS_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Reads to the end, so that the command never waits for a reader. */
    private static void read(InputStream output, CompletableFuture<String> line) {
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        try (output) {
            for (int length = output.read(buffer); length >= 0; length = output.read(buffer)) {
                for (int i = 0; i < length && !line.isDone(); i++) {
                    if (buffer[i] == '\n' || first.size() > LONGEST_TOKEN) {
                        line.complete(first.toString(StandardCharsets.ISO_8859_1));
                    } else {
                        first.write(buffer[i]);
                    }
                }
            }
            line.complete(first.toString(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            line.completeExceptionally(e);
        }
    }

    /** Returns a line as a token; what is wrong with it is told without it. */
    private static String checked(String line) throws IOException {
        String found = line.strip();
        if (found.isEmpty()) {
            throw new IOException("expected a token on the first line of the command's output, found none");
        }
        if (found.length() > LONGEST_TOKEN) {
            throw new IOException("expected a token of at most " + LONGEST_TOKEN + " characters, found more");
        }
        if (found.chars().anyMatch(c -> c <= ' ' || c >= 0x7F)) {
            throw new IOException("expected a token alone on the first line of the command's output, found blanks or"
                    + " other than ASCII in it");
        }
        return found;
    }

    /**
     * Returns the second since 1970 at which a JSON web token (RFC 7519) says that it expires; absent where its claims
     * are no JSON.
     */
    static OptionalLong expirySecond(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return OptionalLong.empty();
        }
        try {
            String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
            JsonNode expires = Json.parse("claims", claims).path("exp");
            double second = expires.isNumber() ? expires.asDouble() : -1;
            return second >= 0 && second <= LAST_SECOND ? OptionalLong.of((long) second) : OptionalLong.empty();
        } catch (IllegalArgumentException | MeasurementException e) {
            // A token of another kind.
            return OptionalLong.empty();
        }
    }

    /** Ends a command that runs, and waits until it has ended, for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        renewing.interrupt();
        try {
            renewing.join(2 * ENDS_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
