package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void showsThreeDigitsAndAllBeforeThePoint() {
        assertEquals("0", Figures.threeDigits(0));
        assertEquals("0.00123", Figures.threeDigits(0.001234));
        assertEquals("0.123", Figures.threeDigits(0.1234));
        assertEquals("1.00", Figures.threeDigits(1));
        assertEquals("1.23", Figures.threeDigits(1.234));
        assertEquals("10.0", Figures.threeDigits(9.996));
        assertEquals("100", Figures.threeDigits(99.96));
        assertEquals("123", Figures.threeDigits(123.4));
        assertEquals("1000", Figures.threeDigits(999.6));
        assertEquals("123457", Figures.threeDigits(123_456.7));
        assertEquals("12345678901", Figures.threeDigits(12_345_678_901.2));
    }

    @Test
    void showsRatiosToAThousandth() {
        assertEquals("1.000", Figures.ratio(1));
        assertEquals("0.892", Figures.ratio(0.8916));
        assertEquals("1234", Figures.ratio(1234.4));
        assertEquals("0.000", Figures.ratio(0));
        assertEquals("0.001", Figures.ratio(0.0006));
        assertEquals("<0.001", Figures.ratio(0.000_213), "not as if there was none");
    }

    @Test
    void takesTheTeethOutOfForeignText() {
        assertEquals("red text", Figures.printable("\u001b[31;1mred\u001b[0m text"));
        assertEquals("a b?c?d", Figures.printable("a\tb\rc\u0007d"));
        assertEquals("? ]0;title?", Figures.printable("\u001b ]0;title\u0007"));
        assertEquals("x?y?z", Figures.printable("x\u202Ey\u2028z"));
        assertEquals("\u00e4\u00f6 \u4e2d", Figures.printable("\u00e4\u00f6 \u4e2d"));
    }
}
