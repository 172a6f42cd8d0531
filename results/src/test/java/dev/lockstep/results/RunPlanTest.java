package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.Pace;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RunPlanTest {
    @Test
    void hasTheDefaultsOfTheEverydayCommand() {
        RunPlan plan = TestingRuns.plan().build();

        assertEquals("c2", plan.baseline());
        assertEquals(Pace.RECORDED, plan.pace());
        assertEquals(1.0, plan.speed());
        assertTrue(plan.connections().isEmpty());
        assertTrue(plan.maxRequests().isEmpty());
        assertTrue(plan.duration().isEmpty());
        assertEquals(Duration.ZERO, plan.warmup());
        assertEquals(TargetSchedule.TOGETHER, plan.schedule());
        assertTrue(plan.rounds().isEmpty());
    }

    @Test
    void survivesTheWayThroughJson() {
        for (RunPlan plan : List.of(TestingRuns.fullPlan(), TestingRuns.plan().build())) {
            RunPlan read = RunPlan.fromJson(plan.toJson());
            assertEquals(plan, read);
            assertEquals(plan.toJson(), read.toJson());
            assertEquals(plan, plan.toBuilder().build());
        }
        assertNotEquals(TestingRuns.fullPlan(), TestingRuns.plan().build());
    }

    @Test
    void saysHowLongTargetsAreProfiledAndReadsOlderPlansThatDoNot() {
        RunPlan plan = TestingRuns.plan().profileDuration(Duration.ofSeconds(7)).build();
        String field = "\"profileDurationNs\": 7000000000";
        assertTrue(plan.toJson().contains(field), plan.toJson());

        RunPlan older = RunPlan.fromJson(plan.toJson().replaceFirst(",\\s*" + field, ""));

        assertEquals(TestingRuns.plan().build(), older);
        assertTrue(older.profileDuration().isEmpty());
        assertRefused(
                "profileDuration must be longer than 0, is PT0S", builder -> builder.profileDuration(Duration.ZERO));
    }

    @Test
    void refusesWhatBreaksARule() {
        assertRefused("capture must be given", plan -> plan.capture(null));
        assertRefused(
                "target names must not be another's with the number of a launch, whose log file it names, found c2 and c2.3"
                        + " with launches 3",
                plan -> plan.target(TargetPlan.builder("c2.3").profile("c2").build())
                        .launches(3));
        assertRefused(
                "target names must differ, found twice: c2; name one of them, as in tuned=c2",
                plan -> plan.target(TargetPlan.builder("c2").profile("graal").build()));
        assertRefused("baseline must be one of the targets [c2, graal], is \"zing\"", plan -> plan.baseline("zing"));
        assertRefused("speed must be more than 0, is 0.0", plan -> plan.speed(0));
        assertRefused("speed must be more than 0, is NaN", plan -> plan.speed(Double.NaN));
        assertRefused("speed must be 1 unless the pace is recorded, is 2.0 at pace max", plan -> plan.pace(Pace.MAX)
                .speed(2));
        assertRefused("connections must be at least 1, is 0", plan -> plan.connections(0));
        assertRefused("maxRequests must be at least 1, is -1", plan -> plan.maxRequests(-1));
        assertRefused("duration must be longer than 0, is PT0S", plan -> plan.duration(Duration.ZERO));
        assertRefused(
                "duration must be at most 292 years, is PT2628000H",
                plan -> plan.duration(Duration.ofHours(300L * 365 * 24)));
        assertRefused("timeout must be longer than 0, is PT-1S", plan -> plan.timeout(Duration.ofSeconds(-1)));
        assertRefused("warmup must be longer than 0, is PT-1S", plan -> plan.warmup(Duration.ofSeconds(-1)));
        assertRefused("maxLag must be longer than 0, is PT0S", plan -> plan.maxLag(Duration.ZERO));
        assertRefused("rounds must be at least 1, is 0", plan -> plan.alternate(0));
        assertRefused("replayerCores must be numbers from 0 to 8191, is -1", plan -> plan.replayerCores(List.of(-1)));
        assertRefused("replayerCores must not name a core twice, is [1, 1]", plan -> plan.replayerCores(List.of(1, 1)));
        IllegalArgumentException none = assertThrows(
                IllegalArgumentException.class,
                () -> RunPlan.builder().capture(TestingRuns.capture()).build());
        assertEquals("targets must have at least one", none.getMessage());
    }

    private static void assertRefused(String message, Consumer<RunPlan.Builder> change) {
        RunPlan.Builder builder = TestingRuns.plan();
        change.accept(builder);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertEquals(message, e.getMessage());
    }

    @Test
    void refusesAnUnknownFieldWhereverItStands() {
        assertUnreadable(
                "plan: unknown field warmUpNs; misspelt, or written by a newer version of Lockstep",
                json -> json.replace("\"warmupNs\"", "\"warmUpNs\""));
        assertUnreadable(
                "plan: unknown field targets[1].heap; misspelt, or written by a newer version of Lockstep",
                json -> json.replace("\"name\": \"graal\"", "\"name\": \"graal\", \"heap\": 1"));
        assertUnreadable(
                "plan: unknown field capture.size; misspelt, or written by a newer version of Lockstep",
                json -> json.replace("\"requests\": 1000", "\"requests\": 1000, \"size\": 1"));
    }

    @Test
    void refusesAnotherVersion() {
        assertUnreadable(
                "plan: version: expected 1, found 2; read it with the Lockstep that wrote it",
                json -> json.replace("\"version\": 1", "\"version\": 2"));
    }

    @Test
    void refusesAFieldOfTheWrongKindWithItsPlace() {
        assertUnreadable(
                "plan: speed: expected a number, found \"fast\"",
                json -> json.replace("\"speed\": 1.0", "\"speed\": \"fast\""));
        assertUnreadable(
                "plan: warmupNs: expected a whole number, found 1.5",
                json -> json.replace("\"warmupNs\": 0", "\"warmupNs\": 1.5"));
        assertUnreadable(
                "plan: warmupNs: expected a whole number, found 123456789012345678901",
                json -> json.replace("\"warmupNs\": 0", "\"warmupNs\": 123456789012345678901"));
        assertUnreadable(
                "plan: pace: pace must be " + Pace.FORMS + ", is \"slow\"",
                json -> json.replace("\"pace\": \"recorded\"", "\"pace\": \"slow\""));
        assertUnreadable(
                "plan: targets[0].profile: expected a text, found [\"c2\"]",
                json -> json.replace("\"profile\": \"c2\"", "\"profile\": [\"c2\"]"));
        assertUnreadable(
                "plan: targets: expected a list of objects, found 7",
                json -> json.replace("\"targets\": [", "\"targets\": [7, "));
        assertUnreadable(
                "plan: targets[0]: target name must be 1 to 64 letters, digits or . _ @ + - and start with a letter or"
                        + " digit, is \"../c2\"",
                json -> json.replace("\"name\": \"c2\"", "\"name\": \"../c2\""));
        assertUnreadable(
                "plan: share: expected the whole load, part 1 of 1, found {\"parts\":[2],\"of\":1}",
                json -> json.replaceAll("\"parts\": \\[\\s*1\\s*]", "\"parts\": [2]"));
        assertUnreadable(
                "plan: capture: expected an object, found nothing",
                json -> json.replaceAll("(?s)\"capture\": \\{.*?},", "\"capture\": null,"));
        assertUnreadable(
                "plan: baseline must be one of the targets [c2, graal], is \"zing\"",
                json -> json.replace("\"baseline\": \"c2\"", "\"baseline\": \"zing\""));
    }

    @Test
    void refusesTextThatIsNotOneJsonObject() {
        assertUnreadable("plan: expected a JSON object, found []", json -> "[]");
        assertUnreadable("plan: expected a JSON object, found nothing", json -> "");
        for (String text : List.of("{", "{} {}", "{\"version\":1,\"version\":1}", "plan")) {
            MeasurementException e = assertThrows(MeasurementException.class, () -> RunPlan.fromJson(text));
            assertTrue(e.getMessage().startsWith("plan: expected JSON, found a mistake at line 1"), e.getMessage());
            assertFalse(e.getMessage().contains("\n"));
        }
    }

    private static void assertUnreadable(String message, java.util.function.UnaryOperator<String> change) {
        String json = TestingRuns.plan().build().toJson();
        String changed = change.apply(json);
        assertNotEquals(json, changed);
        MeasurementException e = assertThrows(MeasurementException.class, () -> RunPlan.fromJson(changed));
        assertEquals(message, e.getMessage());
    }

    @Test
    void launchesTheTargetsOfASoakRunOnce() {
        assertTrue(
                RunPlan.fromJson(TestingRuns.plan().soak(true).build().toJson()).soak());
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> TestingRuns.plan().soak(true).launches(6).build());
        assertEquals(
                "a soak run launches each target once, so --soak does not go with launches 6", refused.getMessage());
    }
}
