package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CsvTest {
    @Test
    void quotesWhatHasCommasAndQuotes() {
        assertEquals("a,\"b,c\",\"say \"\"d\"\"\",\n", Csv.line(List.of("a", "b,c", "say \"d\"", "")));
    }

    @Test
    void letsNumbersBeNumbersAndNothingElseAFormula() {
        assertEquals("-1,0.5,-2.25\n", Csv.line(List.of("-1", "0.5", "-2.25")));
        assertEquals(
                "'-1+2,'+1,'@SUM(A1),'=1+1,'  =1,'\uFF1D1,'-\n",
                Csv.line(List.of("-1+2", "+1", "@SUM(A1)", "=1+1", "  =1", "\uFF1D1", "-")));
    }

    @Test
    void hasNoControlCharactersAndTurnsNoText() {
        assertEquals(
                "a?b,a b,?c,d???,?=1\n",
                Csv.line(List.of("a\nb", "a\tb", "\u202ec", "d\u200f\ud800\u0000", "\u2066=1")));
        assertEquals("' =1\n", Csv.line(List.of("\t=1")));
    }
}
