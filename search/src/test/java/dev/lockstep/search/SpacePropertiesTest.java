package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Study;
import dev.lockstep.tuner.StudyOptions;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What holds for any space, tried on random ones. */
final class SpacePropertiesTest {
    private static final int SPACES = 300;

    /** Whatever is asked for is a configuration of the space, outlives a journal's line, and gives options. */
    @Test
    void everythingAskedForIsOfTheSpace() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SPACES; i++) {
            String text = space(random);
            try {
                SearchPlan plan = SpaceFile.read("s.json", text);
                assertEquals(plan.document(), SpaceFile.read("s.json", text).document());
                Study study = Study.of(
                        plan.space(),
                        StudyOptions.builder().evaluations(5).seed(i).build());
                for (int trial = 0; trial < 3; trial++) {
                    Configuration asked = study.ask().configuration();
                    String line =
                            JsonLines.print(JsonLines.object().set("parameters", JsonLines.values(asked.values())));
                    assertEquals(asked, JsonLines.configuration(plan.space(), JsonLines.parse(line)));
                    plan.options(asked, 17);
                }
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + ", space " + text, e);
            }
        }
    }

    /** A space that lost or changed a character is read, or refused with one line, and nothing else. */
    @Test
    void aDamagedSpaceIsReadOrRefusedInOneLine() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SPACES * 10; i++) {
            StringBuilder text = new StringBuilder(space(random));
            for (int damage = 0; damage < 1 + random.nextInt(3); damage++) {
                int at = random.nextInt(text.length());
                if (random.nextBoolean()) {
                    text.deleteCharAt(at);
                } else {
                    text.setCharAt(at, "{}[],:\"-.0a9 \n\te".charAt(random.nextInt(16)));
                }
            }
            try {
                SpaceFile.read("s.json", text.toString());
            } catch (SpaceException e) {
                assertEquals(1, e.getMessage().lines().count(), e.getMessage());
            } catch (RuntimeException e) {
                fail("seed " + seed + ", space " + text, e);
            }
        }
    }

    private static String space(SplittableRandom random) {
        StringBuilder text = new StringBuilder("{\"direction\": \"")
                .append(random.nextBoolean() ? "minimize" : "maximize")
                .append("\", \"seed\": ")
                .append(random.nextInt(-9, 9))
                .append(", \"parameters\": [");
        int count = 1 + random.nextInt(5);
        text.append("{\"name\": \"p0\", \"type\": \"categorical\", \"values\": [\"a\", 1, 2.5, true]}");
        for (int i = 1; i < count; i++) {
            text.append(", ").append(parameter(random, i));
        }
        return text.append("], \"constraints\": [\"c\"]}").toString();
    }

    private static String parameter(SplittableRandom random, int index) {
        StringBuilder text = new StringBuilder("{\"name\": \"p").append(index).append("\", ");
        switch (random.nextInt(5)) {
            case 0:
                int low = random.nextInt(-50, 50);
                text.append("\"type\": \"int\", \"min\": ").append(low).append(", \"max\": ");
                text.append(low + 1 + random.nextInt(100));
                break;
            case 1:
                text.append("\"type\": \"log-float\", \"min\": 1e-").append(1 + random.nextInt(5));
                text.append(", \"max\": ").append(1 + random.nextInt(1000));
                break;
            case 2:
                text.append("\"type\": \"boolean\", \"default\": ").append(random.nextBoolean());
                break;
            case 3:
                text.append("\"type\": \"float\", \"min\": 0, \"max\": 2, \"step\": 0.25");
                break;
            default:
                text.append("\"type\": \"categorical\", \"values\": [\"a\", 1, 2.5, true]");
        }
        if (random.nextInt(3) == 0) {
            text.append(", \"when\": {\"p0\": ")
                    .append(random.nextBoolean() ? "[1, \"a\"]" : "true")
                    .append("}");
        }
        return text.append("}").toString();
    }
}
