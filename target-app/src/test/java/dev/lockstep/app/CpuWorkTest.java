package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CpuWorkTest {
    private final Map<String, CpuWork> kinds = CpuWork.kinds();

    /**
     * Answers are compared between JVMs of all versions and makers: each of these is the only right one. The tests run
     * on JDK 17 and 25.
     */
    @Test
    void answersAreSealed() {
        assertAnswer(
                "{\"kind\":\"signverify\",\"n\":1,\"bytes\":16384,\"sha256OfSignatures\":"
                        + "\"9ceeb3cbe10821c7bd4c8f437f58176f279e935ab7d928cd993e65e75b5dea83\",\"verified\":true}",
                "signverify",
                null);
        assertAnswer(
                "{\"kind\":\"aesgcm\",\"n\":10,\"bytes\":16384,\"lastTag\":\"793778ea1fc2431dfccf6ab71ae506ba\","
                        + "\"decrypted\":true}",
                "aesgcm",
                null);
        assertAnswer("{\"kind\":\"lu\",\"n\":100,\"swaps\":93,\"digest\":\"41a1b0361c744a23\"}", "lu", null);
        assertAnswer(
                "{\"kind\":\"xml\",\"n\":100,\"items\":264,\"cents\":17496469,\"bytes\":23532,\"crc32\":\"8c403aaa\"}",
                "xml",
                null);
        assertAnswer(
                "{\"kind\":\"streams\",\"n\":10000,\"centsByCity\":{\"Berlin\":568189548,\"Lagos\":598980832,"
                        + "\"Lima\":596992686,\"Oslo\":606897803,\"Pune\":603449116,\"Quito\":578034846,"
                        + "\"Tokyo\":602277491,\"Zürich\":602517292},\"dearest\":\"4137:1048473,7004:1048425,"
                        + "6371:1048330,259:1048024,2624:1048007\",\"distinct\":9945,"
                        + "\"checksum\":\"23b16e5bad1c8718\"}",
                "streams",
                null);
    }

    @Test
    void answersStayTheSameOnceTheCodeIsCompiled() {
        for (String kind : kinds.keySet()) {
            String first = answer(kind, "n=2");
            for (int i = 0; i < 200; i++) {
                assertEquals(first, answer(kind, "n=2"), kind + ", round " + i);
            }
            assertEquals(first, new String(CpuWork.kinds().get(kind).answer("n=2"), StandardCharsets.UTF_8), kind);
        }
    }

    @Test
    void worksAtBothEndsOfItsBounds() {
        assertAnswers("signverify", "n=1&bytes=1", "n=3&bytes=1048576");
        assertAnswers("aesgcm", "n=1&bytes=1", "n=3&bytes=1048576");
        assertAnswers("lu", "n=2", "n=500");
        assertAnswers("xml", "n=1", "n=1000");
        assertAnswers("streams", "n=1", "n=50000");
    }

    private void assertAnswers(String kind, String smallest, String largest) {
        assertEquals(answer(kind, smallest), answer(kind, smallest));
        assertEquals(answer(kind, largest), answer(kind, largest));
    }

    @Test
    void refusesParametersOutOfBounds() {
        assertEquals(Set.of("signverify", "aesgcm", "lu", "xml", "streams"), kinds.keySet());
        for (String kind : kinds.keySet()) {
            for (String query : new String[] {"n=0", "n=50001", "n=x"}) {
                RefusedRequestException refusal =
                        assertThrows(RefusedRequestException.class, () -> answer(kind, query), kind);
                assertEquals(400, refusal.status);
            }
        }
        assertThrows(RefusedRequestException.class, () -> answer("aesgcm", "bytes=1048577"));
        assertThrows(RefusedRequestException.class, () -> answer("signverify", "bytes=0"));
    }

    @Test
    void factorsTimesEachOtherGiveTheMatrixBack() {
        double[][] original = {{2, 1, 1, 0}, {4, 3, 3, 1}, {8, 7, 9, 5}, {6, 7, 9, 8}};
        double[][] factored = new double[4][];
        for (int i = 0; i < 4; i++) {
            factored[i] = original[i].clone();
        }
        // The rows change places as (2 3 1 0): the largest of each column comes first.
        assertEquals(3, LuWork.factor(factored));
        int[] rows = {2, 3, 1, 0};
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                double sum = 0;
                for (int k = 0; k <= Math.min(i, j); k++) {
                    sum += (k == i ? 1 : factored[i][k]) * factored[k][j];
                }
                assertEquals(original[rows[i]][j], sum, 1e-12);
            }
        }
    }

    private void assertAnswer(String expected, String kind, String query) {
        assertEquals(expected, answer(kind, query));
    }

    private String answer(String kind, String query) {
        return new String(kinds.get(kind).answer(query), StandardCharsets.UTF_8);
    }
}
