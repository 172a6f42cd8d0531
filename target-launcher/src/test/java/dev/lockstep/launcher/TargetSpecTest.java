package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TargetSpecTest {
    private static TargetSpec parse(String text) {
        return TargetSpec.parse(text, Map.of());
    }

    /** A password may hold a comma, and a name an @. */
    @Test
    void quotesNothingOfAnAddressWithAUser() {
        for (String text : List.of(
                "prod=https://me:s3cret@shop.test", "a=https://me:s3,cret@shop.test", "prod=s3cret@shop.test:80")) {
            String refusal = assertThrows(
                            IllegalArgumentException.class, () -> TargetSpec.parseAll(text, Map.of()), text)
                    .getMessage();
            assertFalse(refusal.contains("s3"), refusal);
        }
        assertEquals(
                2,
                TargetSpec.parseAll("graal@25=10.0.0.5:8080,https://h:8443", Map.of())
                        .size());
        assertEquals(2, TargetSpec.parseAll("https://h:8443, c2@17 ", Map.of()).size());
    }

    @Test
    void takesNoMistakeBesideAnAddressForAPassword() {
        Map<String, String> mistakes = Map.of(
                "localhost:8080,gral@17", "unknown target 'gral@17'",
                "gral@17,localhost:8080", "unknown target 'gral@17'",
                "graal@25,127.0.0.1:99999", "found '127.0.0.1:99999'",
                "127.0.0.1:99999,a=graal@25", "found '127.0.0.1:99999'");
        mistakes.forEach((text, words) -> {
            String refusal = assertThrows(
                            IllegalArgumentException.class, () -> TargetSpec.parseAll(text, Map.of()), text)
                    .getMessage();
            assertTrue(refusal.contains(words), refusal);
        });
    }

    @Test
    void readsProfilesVersionsAndNames() {
        TargetSpec spec = parse("c2");
        assertEquals("c2", spec.name());
        assertEquals(Optional.of(Profile.C2), spec.profile());
        assertEquals(OptionalInt.empty(), spec.jdkVersion());

        spec = parse("tuned=graal@25");
        assertEquals("tuned", spec.name());
        assertEquals(Optional.of(Profile.GRAAL), spec.profile());
        assertEquals(OptionalInt.of(25), spec.jdkVersion());

        assertEquals("graal@25", parse("graal@25").name());
    }

    @Test
    void readsAddresses() {
        TargetSpec spec = parse("bench=127.0.0.1:8080");
        assertEquals("bench", spec.name());
        assertEquals(Optional.of(new InetSocketAddress("127.0.0.1", 8080)), spec.attachAddress());
        assertEquals("127.0.0.1-8080", parse("127.0.0.1:8080").name());
        assertEquals(
                Optional.of(new InetSocketAddress("::1", 80)), parse("[::1]:80").attachAddress());
        assertEquals("1-80", parse("[::1]:80").name());
        assertEquals(Optional.empty(), spec.profile());
    }

    /** The host is looked up once, so that who checks the addresses and who connects see the same. */
    @Test
    void keepsAllAddressesOfTheHost() throws Exception {
        TargetSpec spec = parse("a=localhost:8080");
        List<InetSocketAddress> expected = new ArrayList<>();
        for (InetAddress one : InetAddress.getAllByName("localhost")) {
            expected.add(new InetSocketAddress(one, 8080));
        }
        assertEquals(expected, spec.attachAddresses());
        assertEquals(expected.get(0), spec.attachAddress().orElseThrow());
        assertEquals(expected, spec.withName("b").attachAddresses());

        TargetSpec unknown = parse("no-such-host.invalid:80");
        assertEquals(List.of(), unknown.attachAddresses());
        assertTrue(unknown.attachAddress().orElseThrow().isUnresolved());
        assertEquals(List.of(), parse("c2").attachAddresses());
    }

    @Test
    void readsFromTheSchemeWhetherATargetSpeaksTls() {
        TargetSpec spec = parse("prod=https://shop.test:8443/");
        assertEquals("prod", spec.name());
        assertEquals("shop.test", spec.attachAddress().get().getHostString());
        assertEquals(8443, spec.attachAddress().get().getPort());
        assertTrue(spec.tls());
        assertTrue(spec.withName("other").tls());

        assertTrue(parse("tls://[::1]:9090").tls());
        assertEquals(443, parse("https://127.0.0.1").attachAddress().get().getPort());
        assertEquals(80, parse("http://127.0.0.1/").attachAddress().get().getPort());
        assertFalse(parse("http://127.0.0.1:8080").tls());
        assertFalse(parse("127.0.0.1:8080").tls());
        assertThrows(IllegalArgumentException.class, () -> parse("tls://127.0.0.1"));
        assertThrows(IllegalArgumentException.class, () -> parse("127.0.0.1"));
        assertThrows(IllegalArgumentException.class, () -> parse("ftp://127.0.0.1:1"));
    }

    @Test
    void readsTargetsOfAFileUnderTheirOwnOrAnotherName() {
        TargetSpec own = TargetSpec.builder("shop")
                .command(List.of("{java}", "-jar", "shop.jar", "{port}"))
                .build();
        assertSame(own, TargetSpec.parse("shop", Map.of("shop", () -> own)));
        TargetSpec other = TargetSpec.parse("b=shop", Map.of("shop", () -> own));
        assertEquals("b", other.name());
        assertEquals(own.command(), other.command());
        assertEquals(Optional.of(Profile.C2), other.profile());
    }

    @Test
    void refusesUnknownTargetsWithAListOfTheKnown() {
        String known = Stream.of(Profile.values()).map(Profile::id).collect(Collectors.joining(", "));
        for (String text : List.of("c3", "", "x=", "c2@", "c2@x", "shop.test")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> parse(text), text);
            assertTrue(e.getMessage().startsWith("unknown target '" + text + "': known are " + known), e.getMessage());
        }
    }

    @Test
    void saysHowAnAddressIsWritten() {
        for (String text : List.of(
                "localhost",
                "a=127.0.0.1",
                "localhost:0",
                "a=localhost:65536",
                "a=127.0.0.1:http",
                "a=127.0.0.1:",
                "a=:80",
                "a=::1:80",
                "ftp://127.0.0.1:1",
                "tls://127.0.0.1")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> parse(text), text);
            assertEquals(
                    "expected [NAME=]HOST:PORT with a port from 1 to 65535, such as prod=127.0.0.1:8080 or"
                            + " prod=https://[::1]:8443, found '" + text + "'",
                    e.getMessage());
        }
    }

    @Test
    void refusesNamesThatCanNotBeFiles() {
        for (String text : List.of("../x=c2", "a b=c2", "=c2", "-x=c2", ".=c2")) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> parse(text), text);
            assertTrue(e.getMessage().contains("target name '"), e.getMessage());
        }
    }

    @Test
    void refusesTheSameNameTwice() {
        assertEquals(2, TargetSpec.parseAll("a=c2,b=c2", Map.of()).size());
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> TargetSpec.parseAll("c2,c2", Map.of()));
        assertEquals("target name 'c2' is used twice; name them apart, for example a=c2,b=c2", e.getMessage());
        e = assertThrows(
                IllegalArgumentException.class, () -> TargetSpec.parseAll("s=127.0.0.1:80,s=127.0.0.1:81", Map.of()));
        assertEquals(
                "target name 's' is used twice; name them apart, for example a=127.0.0.1:81,b=127.0.0.1:81",
                e.getMessage());
    }

    @Test
    void addsJvmOptionsAtTheEnd() {
        TargetSpec spec = parse("graal").withJvmOptions(List.of("-Xmx1g")).withJvmOptions(List.of("-Dx=y"));
        assertEquals(List.of("-Xmx1g", "-Dx=y"), spec.jvmOptions());
        assertThrows(
                IllegalArgumentException.class, () -> parse("a=localhost:80").withJvmOptions(List.of("-Dx")));
    }

    @Test
    void checksOwnApplications() {
        refuses(
                "needs the word {java} or a {jvmOptions}",
                TargetSpec.builder("x").profile(Profile.GRAAL).command(List.of("./start.sh", "{port}")));
        refuses("expected a port, or {port}", TargetSpec.builder("x").command(List.of("{java}", "-jar", "x.jar")));
        refuses(
                "JVM options need",
                TargetSpec.builder("x").command(List.of("./native", "{port}")).jvmOptions(List.of("-Xmx1g")));
        refuses("expected a profile, a command or an address", TargetSpec.builder("x"));
        refuses(
                "readiness path must begin with '/'",
                TargetSpec.builder("x").profile(Profile.C2).readinessPath("health"));
        refuses("can have neither", TargetSpec.builder("x").profile(Profile.C2).attach("localhost", 80));
        refuses(
                "port must be between",
                TargetSpec.builder("x").profile(Profile.C2).port(70_000));
    }

    /** They ended as an IllegalArgumentException of the JDK amid the start. */
    @Test
    void checksTheNamesOfVariables() {
        for (String name : List.of("", "=", "A=B", "A\0")) {
            refuses(
                    "target x: environment: expected a name without '=', and no NUL, found '" + name + "'",
                    TargetSpec.builder("x")
                            .command(List.of("./app", "{port}"))
                            .environment(Map.of("GOOD", "a=b", name, "1")));
        }
    }

    private static void refuses(String why, TargetSpec.Builder builder) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertTrue(e.getMessage().contains(why), e.getMessage());
    }

    @Test
    void fillsInCommandsAndEnvironment() {
        Jvm jvm = ImmutableJvm.builder()
                .home(Path.of("/jdk"))
                .featureVersion(17)
                .version("17")
                .vendor("")
                .kind(Jvm.Kind.HOTSPOT)
                .vmName("")
                .problem("")
                .build();
        List<String> options = List.of("-Da=b c", "-Xmx1g");
        CommandTemplate plain = new CommandTemplate(List.of("{java}", "-jar", "x.jar", "--port={port}"), Map.of());
        assertEquals(
                List.of("/jdk/bin/java", "-Da=b c", "-Xmx1g", "-jar", "x.jar", "--port=80"),
                plain.command(80, jvm, options));
        CommandTemplate placed = new CommandTemplate(
                List.of("{java}", "-server", "{jvmOptions}", "Main", "{port}"), Map.of("HOME", "{javaHome}"));
        assertEquals(
                List.of("/jdk/bin/java", "-server", "-Da=b c", "-Xmx1g", "Main", "80"),
                placed.command(80, jvm, options));
        assertEquals(Map.of("HOME", "/jdk", "JAVA_HOME", "/jdk"), placed.environment(80, jvm, options));
        CommandTemplate script =
                new CommandTemplate(List.of("./start.sh"), Map.of("JAVA_OPTS", "{jvmOptions}", "PORT", "{port}"));
        assertEquals(List.of("./start.sh"), script.command(80, jvm, options));
        assertEquals(
                Map.of("JAVA_OPTS", "-Da=b c -Xmx1g", "PORT", "80", "JAVA_HOME", "/jdk"),
                script.environment(80, jvm, options));
        assertTrue(script.placesJvmOptions());
        assertEquals(
                List.of("./native", "80"),
                new CommandTemplate(List.of("./native", "{port}"), Map.of()).command(80, null, List.of()));
    }

    @Test
    void checksSettings() {
        assertThrows(
                IllegalArgumentException.class, () -> LaunchSettings.builder().build());
        LaunchSettings.Builder good = LaunchSettings.builder().logDirectory(Path.of("logs"));
        assertEquals("/", good.build().readinessPath());
        assertThrows(
                IllegalArgumentException.class,
                () -> good.build().toBuilder().memoryLimitBytes(-1).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> good.build().toBuilder().cpus(CpuList.of()).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> good.build().toBuilder().readyTimeout(Duration.ZERO).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> good.build().toBuilder().readinessPath("/a b").build());
    }
}
