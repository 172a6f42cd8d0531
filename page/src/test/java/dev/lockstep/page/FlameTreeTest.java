package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FlameTreeTest {
    private final FlameTree tree = new FlameTree();

    /** Returns the frames as they stand in the columns: a dot for each caller, the name, the kind and the samples. */
    private static String text(ObjectNode columns) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < columns.get("depth").size(); i++) {
            text.append(".".repeat(columns.at("/depth/" + i).asInt()))
                    .append(columns.at("/names/" + columns.at("/name/" + i).asInt())
                            .asText())
                    .append(' ')
                    .append(columns.at("/kinds/" + columns.at("/kind/" + i).asInt())
                            .asText())
                    .append(' ')
                    .append(columns.at("/count/" + i).asLong())
                    .append('\n');
        }
        return text.toString();
    }

    @Test
    void addsUpWhatCallersHaveInCommonAndOrdersCalleesByName() {
        tree.add(List.of("main_[j]", "work_[j]"), 3);
        tree.add(List.of("main_[j]", "read_[i]", "read (libc.so.6)", "sys_read_[k]"), 2);
        tree.add(List.of("main_[j]"), 1);
        tree.add(List.of("[GC threads]", "G1Collect"), 4);
        tree.add(List.of("copy_[s]"), 1);

        assertEquals(
                ".[GC threads] VM threads 4\n"
                        + "..G1Collect native 4\n"
                        + ".copy stub 1\n"
                        + ".main compiled 6\n"
                        + "..read inlined 2\n"
                        + "...read (libc.so.6) native 2\n"
                        + "....sys_read kernel 2\n"
                        + "..work compiled 3\n",
                text(tree.columns()));
        assertEquals(11, tree.columns().get("samples").asLong());
        assertEquals(0, tree.columns().get("leftOut").asInt());
    }

    @Test
    void tellsWhatNobodyCouldNameFromNativeCode() {
        tree.add(List.of("code not known_[u]"), 1);
        tree.add(List.of("read (libc.so.6)"), 1);

        assertEquals(".code not known unknown 1\n.read (libc.so.6) native 1\n", text(tree.columns()));
    }

    @Test
    void isOneFrameOfTheKindOfMostSamples() {
        tree.add(List.of("work_[0]"), 2);
        tree.add(List.of("work_[1]"), 3);
        tree.add(List.of("work_[j]"), 4);

        assertEquals(".work compiled 9\n", text(tree.columns()));
    }

    @Test
    void leavesOutWhatHasLessThanAThousandthAndSaysHowMuch() {
        tree.add(List.of("main_[j]", "wide_[j]"), 2990);
        tree.add(List.of("main_[j]", "enough_[j]"), 3);
        tree.add(List.of("main_[j]", "narrow_[j]", "narrower_[j]"), 2);

        ObjectNode columns = tree.columns();

        assertEquals(".main compiled 2995\n..enough compiled 3\n..wide compiled 2990\n", text(columns));
        assertEquals(2, columns.get("leftOut").asInt());
        assertEquals(2, columns.get("widestLeftOut").asInt());
    }

    @Test
    void keepsTheWidestOfManyAndTheirCallers() {
        for (int i = 0; i < 900; i++) {
            tree.add(List.of("main_[j]", "a" + i, "b", "c", "d"), 1);
        }

        ObjectNode columns = tree.columns();

        assertEquals(2000, columns.get("depth").size());
        assertEquals(1 + 4 * 900 - 2000, columns.get("leftOut").asInt());
        int before = 0;
        for (int i = 0; i < 2000; i++) {
            int depth = columns.at("/depth/" + i).asInt();
            assertTrue(depth <= before + 1, "each has its caller");
            before = depth;
        }
    }

    @Test
    void takesStacksOfAnyDepthAndNamesOfAnyLength() {
        tree.add(Collections.nCopies(100_000, "recursion_[j]"), 1);
        tree.add(List.of("x".repeat(10_000)), 1);

        ObjectNode columns = tree.columns();

        assertEquals(2000, columns.get("depth").size());
        assertTrue(
                columns.toString().length() < 40_000,
                "characters: " + columns.toString().length());
    }
}
