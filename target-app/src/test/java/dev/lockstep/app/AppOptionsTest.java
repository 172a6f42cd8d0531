package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class AppOptionsTest {
    @Test
    void everythingHasADefault() {
        AppOptions options = AppOptions.parse();
        assertEquals("127.0.0.1", options.host);
        assertEquals(8080, options.port);
        assertEquals(10_000, options.users);
        assertEquals(50_000, options.maxUsers);
        assertNull(options.redisAddress);
        assertEquals("lockstep:users:1234", options.redisHash(1234));
        assertEquals(Runtime.getRuntime().availableProcessors(), options.instances);
        assertEquals(65_536, options.maxBodyBytes);
        assertTrue(options.nativeTransport);
        assertFalse(options.tcpFastOpen);
        assertTrue(options.tcpNoDelay);
        assertFalse(options.tcpQuickAck);
        assertEquals(-1, options.echoPort);
        assertEquals(0, options.extraCpuShare);
        assertEquals(0, options.leakBytesPerMinute);
        assertTrue(options.metrics);
        assertFalse(options.help);
        assertFalse(options.printUsers);
    }

    @Test
    void readsEveryOption() {
        AppOptions options = AppOptions.parse(
                ("--host ::1 --port 0 --users 5 --max-users 7 --store redis://:secret@localhost:6379/3 --redis-hash h"
                                + " --instances 3 --max-body 100 --tcp-fastopen --no-tcp-nodelay --tcp-quickack --echo 0"
                                + " --burn-cpu 5% --leak 1m/min --no-metrics --print-users --help")
                        .split(" "));
        assertEquals("::1", options.host);
        assertEquals(0, options.port);
        assertEquals(5, options.users);
        assertEquals(7, options.maxUsers);
        assertEquals("redis://:secret@localhost:6379/3", options.redisAddress);
        assertEquals("h", options.redisHash(1234));
        assertEquals(3, options.instances);
        assertEquals(100, options.maxBodyBytes);
        assertTrue(options.tcpFastOpen);
        assertFalse(options.tcpNoDelay);
        assertTrue(options.tcpQuickAck);
        assertEquals(0, options.echoPort);
        assertEquals(0.05, options.extraCpuShare);
        assertEquals(1 << 20, options.leakBytesPerMinute);
        assertEquals(500 << 10, AppOptions.parse("--leak=500k/min").leakBytesPerMinute);
        assertFalse(options.metrics);
        assertTrue(options.printUsers);
        assertTrue(options.help);
        assertFalse(AppOptions.parse("--no-native-transport").nativeTransport);
    }

    @Test
    void takesValuesAfterAnEqualsSignAndPercentagesWithoutSign() {
        AppOptions options = AppOptions.parse("--port=81", "--burn-cpu=2.5", "--store=memory");
        assertEquals(81, options.port);
        assertEquals(0.025, options.extraCpuShare);
        assertNull(options.redisAddress);
    }

    @Test
    void refusesWhatItDoesNotUnderstandInOneLine() {
        assertRefused("unknown option '--prot'", "--prot", "1");
        assertRefused("unknown option 'fast'", "fast");
        assertRefused("--port needs a value", "--port");
        assertRefused("--port needs a value", "--port=");
        assertRefused("--port must be a whole number from 0 to 65535, not 'http'", "--port", "http");
        assertRefused("--port must be a whole number from 0 to 65535, not '65536'", "--port", "65536");
        assertRefused("--port must be a whole number from 0 to 65535, not '-1'", "--port", "-1");
        assertRefused("--instances must be a whole number from 1 to 1024, not '0'", "--instances", "0");
        assertRefused(
                "--max-body must be a whole number from 1 to 16777216, not '99999999999'", "--max-body=99999999999");
        assertRefused("--max-users must be at least --users, 10000, not 9", "--max-users", "9");
        assertRefused("--echo must be another port than --port, 8080", "--echo", "8080");
        assertRefused("--metrics takes no value, found '--metrics=no'", "--metrics=no");
        assertRefused("--burn-cpu must be a percentage from 0% to 1000%, not 'NaN'", "--burn-cpu", "NaN");
        assertRefused("--burn-cpu must be a percentage from 0% to 1000%, not 'some'", "--burn-cpu", "some");
        assertRefused(
                "--leak must be an amount of memory a minute such as 1m/min or 500k/min, not '1m'", "--leak", "1m");
        assertRefused(
                "--tcp-quickack needs the native transport: leave out --no-native-transport",
                "--tcp-quickack",
                "--no-native-transport");
        assertRefused("--redis-hash needs --store redis://HOST:PORT", "--redis-hash", "x");
        for (String store : List.of("disk", "redis://", "redis:/x", "redis://a:b", "redis://h:1/x", "rediss://h:1")) {
            assertRefused(
                    "--store must be memory or redis://[:PASSWORD@]HOST:PORT[/DATABASE], not '" + store + "'",
                    "--store",
                    store);
        }
    }

    /** Redis's client would connect to localhost, or to what stands in the password. */
    @Test
    void refusesAddressesThatTheClientReadsOtherwise() {
        for (String address :
                List.of("@my_redis:6379", "@h:65536", ":se%cret@h:6379", ":se#cret@h:6379", "u:1?secret@h:6379")) {
            String store = "redis://" + address.replaceFirst("^@", "");
            assertRefused(
                    "--store must have an IP address, or a name of letters, digits and hyphens, as its host, a port up to"
                            + " 65535, and %XX for special characters in a password, not 'redis://"
                            + address.substring(address.indexOf('@') + 1) + "'",
                    "--store",
                    store);
        }
        assertEquals("redis://:a%23b@[::1]:1/2", AppOptions.parse("--store=redis://:a%23b@[::1]:1/2").redisAddress);
    }

    @Test
    void neverShowsThePassword() {
        assertRefused(
                "--store must be memory or redis://[:PASSWORD@]HOST:PORT[/DATABASE], not 'redis://host:x'",
                "--store",
                "redis://:secret@host:x");
    }

    @Test
    void helpNamesEveryOption() {
        for (String option : List.of(
                "--host",
                "--port",
                "--users",
                "--max-users",
                "--print-users",
                "--store",
                "--redis-hash",
                "--instances",
                "--max-body",
                "--native-transport",
                "--no-native-transport",
                "--tcp-fastopen",
                "--tcp-nodelay",
                "--no-tcp-nodelay",
                "--tcp-quickack",
                "--echo",
                "--burn-cpu",
                "--leak",
                "--metrics",
                "--no-metrics",
                "--help")) {
            assertTrue(AppOptions.HELP.contains(option), option);
        }
        for (String line : AppOptions.HELP.split(System.lineSeparator())) {
            assertTrue(line.length() <= 110, line);
        }
    }

    private static void assertRefused(String message, String... arguments) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> AppOptions.parse(arguments));
        assertEquals(message, refusal.getMessage());
    }
}
