package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TableTest {
    private final Table table = new Table(" ");

    @Test
    void putsFiguresToTheRight() {
        table.row(List.of("name", "a", "bb"));
        table.row(List.of("x", "1", "200"));
        table.row(List.of("A line over all columns, however long:"));
        table.row(List.of("y", "10", ""));

        assertEquals(
                " name   a   bb\n x      1  200\n A line over all columns, however long:\n y     10\n",
                table.toString());
    }

    @Test
    void putsANameThatLeavesNoRoomAboveItsFigures() {
        String figure = "7".repeat(30);
        table.row(List.of("name", figure, figure));
        table.row(List.of("fifteen-letters", "1", "2"));
        table.row(List.of("sixteen--letters", "3", "4"));

        assertEquals(
                " name             " + figure + "  " + figure + "\n"
                        + " fifteen-letters  " + " ".repeat(29) + "1  " + " ".repeat(29) + "2\n"
                        + " sixteen--letters\n"
                        + "                  " + " ".repeat(29) + "3  " + " ".repeat(29) + "4\n",
                table.toString());
    }

    @Test
    void goesOnBelowWithColumnsThatDoNotFit() {
        String figure = "7".repeat(40);
        table.row(List.of("name", "a", "b", "c"));
        table.row(List.of("x", figure, figure, "1"));

        assertEquals(
                " name" + " ".repeat(41) + "a\n x     " + figure + "\n\n" + " name" + " ".repeat(41) + "b  c\n x     "
                        + figure + "  1\n",
                table.toString());
    }
}
