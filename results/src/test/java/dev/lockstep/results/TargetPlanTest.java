package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class TargetPlanTest {
    @Test
    void isEitherStartedOrRunsAlready() {
        assertRefused(
                "target a must have either an address, or a profile or a command or both, has none of them",
                TargetPlan.builder("a"));
        assertRefused(
                "target a must have either an address, or a profile or a command or both, has an address and one of the"
                        + " others",
                TargetPlan.builder("a").address("127.0.0.1:80").command(List.of("java")));
        TargetPlan own = TargetPlan.builder("a")
                .profile("graal")
                .command(List.of("{java}", "-jar", "shop.jar"))
                .build();
        assertEquals("graal", own.profile().get());
    }

    @Test
    void takesNamesThatCanBeFileNames() {
        for (String name : List.of("c2", "c2@25", "graal-tuned_1.5+x", "127.0.0.1", "a".repeat(64))) {
            assertEquals(name, TargetPlan.builder(name).profile("c2").build().name());
        }
        for (String name : List.of("", "a/b", "..", ".hidden", "a b", "-x", "a:1", "a".repeat(65), "\u00e4", "a\n")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> TargetPlan.builder(name).profile("c2").build(),
                    name);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> TargetPlan.builder(null).profile("c2").build());
    }

    @Test
    void refusesNamesThatWouldCollideWithAnotherTargetsFiles() {
        assertRefused(
                "target name must not end in .service, which is kept for the files of a run directory, is \"c2.service\"",
                TargetPlan.builder("c2.service").profile("c2"));
        assertRefused(
                "target name must not end in .h and a number, which is kept for the files of long runs, is \"c2.h2\"",
                TargetPlan.builder("c2.h2").profile("c2"));
        assertThrows(
                IllegalArgumentException.class,
                () -> TargetPlan.builder("c2.lag").profile("c2").build());
        assertThrows(
                IllegalArgumentException.class,
                () -> TargetPlan.builder("c2.own-lag").profile("c2").build());
    }

    @Test
    void wantsAnAddressWithHostAndPort() {
        for (String address : List.of("localhost:80", "127.0.0.1:65535", "[::1]:8080")) {
            assertEquals(
                    address,
                    TargetPlan.builder("a").address(address).build().address().orElseThrow());
        }
        for (String address : List.of("localhost", ":80", "a:", "a:0", "a:65536", "::1:80", "a:b", "a b:80")) {
            assertRefused(
                    "target a: address must be HOST:PORT, is \"" + address + "\"",
                    TargetPlan.builder("a").address(address));
        }
    }

    @Test
    void cannotConfineAServerThatAlreadyRuns() {
        String message =
                "target a: JVM options, a memory limit and cores can only be given to a target that is started,"
                        + " not to the running server h:1";
        assertRefused(message, TargetPlan.builder("a").address("h:1").jvmOptions(List.of("-Xint")));
        assertRefused(message, TargetPlan.builder("a").address("h:1").memoryLimitBytes(1 << 30));
        assertRefused(message, TargetPlan.builder("a").address("h:1").cores(List.of(1)));
    }

    @Test
    void takesNoValuesOfEnvironmentVariablesAndDoesNotRepeatThem() {
        TargetPlan.Builder builder =
                TargetPlan.builder("a").command(List.of("server")).environmentNames(List.of("PASSWORD=hunter2"));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertEquals(
                "target a: environment must be names without values, found one with =, a space or nothing in it",
                e.getMessage());
        assertFalse(e.getMessage().contains("hunter2"));
    }

    @Test
    void refusesWhatBreaksARule() {
        assertRefused(
                "target a: profile must not be empty", TargetPlan.builder("a").profile(""));
        assertRefused(
                "target a: jdk must be at least 8, is 7",
                TargetPlan.builder("a").profile("c2").jdk(7));
        assertRefused(
                "target a: port must be 1 to 65535, is 65536",
                TargetPlan.builder("a").profile("c2").port(65536));
        assertRefused(
                "target a: readinessPath must start with /, is \"health\"",
                TargetPlan.builder("a").profile("c2").readinessPath("health"));
        assertRefused(
                "target a: memoryLimitBytes must be at least 1048576, is 128",
                TargetPlan.builder("a").profile("c2").memoryLimitBytes(128));
        assertRefused(
                "target a: cores must be numbers from 0 to 8191, is 8192",
                TargetPlan.builder("a").profile("c2").cores(List.of(8192)));
    }

    private static void assertRefused(String message, TargetPlan.Builder builder) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertEquals(message, e.getMessage());
    }
}
