package dev.lockstep.replayer.requests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.replayer.TestingCapture;
import dev.lockstep.replayer.TestingThrift;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EndpointsTest {
    @TempDir
    Path directory;

    private TestingCapture recording;
    private int connection;

    @BeforeEach
    void record() {
        recording = new TestingCapture(directory);
        connection = recording.open(0);
    }

    private void get(String... paths) {
        for (String path : paths) {
            recording.request(connection, 1, "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        }
    }

    /** A word of six letters, which no template folds. */
    private static String word(int number) {
        StringBuilder word = new StringBuilder();
        for (int i = 0, left = number; i < 6; i++, left /= 26) {
            word.append((char) ('a' + left % 26));
        }
        return word.toString();
    }

    private static List<String> of(Endpoints endpoints, long requests) {
        return IntStream.range(0, (int) requests)
                .mapToObj(request -> endpoints.names().get(endpoints.of(request)))
                .collect(Collectors.toList());
    }

    @Test
    void numbersEndpointsByTheirFrequency() {
        get("/a?token=1", "/users/1", "/users/22", "/b", "/b", "/users/3");
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            assertEquals(List.of("GET /users/N", "GET /b", "GET /a", EndpointLoad.OTHER), endpoints.names());
            assertEquals(
                    List.of("GET /a", "GET /users/N", "GET /users/N", "GET /b", "GET /b", "GET /users/N"),
                    of(endpoints, 6));
        }
    }

    @Test
    void countsTheRequestsOfAPartOfAPhase() {
        get("/b", "/a", "/b", "/b");
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            assertArrayEquals(new long[] {3 * 5 + 2, 5 + 1, 0}, endpoints.count(4 * 7 + 3, 4 * 5 + 3));
            assertArrayEquals(new long[] {1, 1, 0}, endpoints.count(0, 2));
            assertArrayEquals(new long[] {0, 0, 0}, endpoints.count(Long.MAX_VALUE, -5));
        }
    }

    @Test
    void givesTheMostFrequentOnesNumbersOfTheirOwnAndTheOthersOne() {
        for (int i = 0; i < 300; i++) {
            get("/" + word(i));
        }
        for (int i = 150; i < 300; i++) {
            get("/" + word(i));
        }
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            assertEquals(EndpointLoad.MOST_NAMED + 1, endpoints.names().size());
            assertEquals("GET /" + word(150), endpoints.names().get(0));
            List<String> found = of(endpoints, 450);
            assertEquals("GET /" + word(0), found.get(0));
            assertEquals("GET /" + word(49), found.get(49));
            assertEquals(EndpointLoad.OTHER, found.get(50));
            assertEquals(100, found.stream().filter(EndpointLoad.OTHER::equals).count());
            assertEquals(
                    450,
                    IntStream.range(0, 201)
                            .mapToLong(i -> endpoints.count(0, 450)[i])
                            .sum());
        }
    }

    @Test
    void tellsNoMoreNamesApartThanItHasRoomFor() {
        for (int i = 0; i < Endpoints.MOST_NAMES; i++) {
            get("/" + word(i));
        }
        String late = "/" + word(Endpoints.MOST_NAMES);
        get(late, late, late, "/" + word(7));
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            assertEquals("GET /" + word(7), endpoints.names().get(0));
            assertEquals(EndpointLoad.OTHER, endpoints.names().get(endpoints.of(Endpoints.MOST_NAMES)));
        }
    }

    @Test
    void listsNoNameTwiceWhereAFunctionIsCalledLikeTheOthers() {
        int thrift = recording.open(0, Protocol.THRIFT_FRAMED_BINARY);
        recording.request(
                thrift,
                1,
                TestingThrift.message(Protocol.THRIFT_FRAMED_BINARY, EndpointLoad.OTHER, TestingThrift.CALL, 0));
        try (Capture capture = recording.finish()) {
            assertEquals(List.of(EndpointLoad.OTHER), Endpoints.of(capture).names());
        }
    }

    @Test
    void knowsWhichRequestsEndedTheirConnections() {
        recording.request(connection, 1, "GET /a HTTP/1.0\r\n\r\n");
        recording.request(connection, 2, "GET /b HTTP/1.0\r\n\r\n");
        int other = recording.open(3);
        recording.request(other, 3, "GET /c HTTP/1.1\r\nHost: a\r\n\r\n");
        recording.request(other, 4, "GET /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            // The recorded server went on behind the first one.
            assertEquals(
                    List.of(false, true, false, true),
                    IntStream.range(0, 4).mapToObj(endpoints::endsConnection).collect(Collectors.toList()));
            assertEquals(
                    List.of(true, true, false, false),
                    IntStream.range(0, 4).mapToObj(endpoints::isHttp10).collect(Collectors.toList()));
        }
    }

    @Test
    void hasNoneButTheOtherWithoutRequests() {
        recording.protocol(connection, 0, Protocol.UNKNOWN).opaque(connection, 1, "hello");
        try (Capture capture = recording.finish()) {
            Endpoints endpoints = Endpoints.of(capture);

            assertEquals(List.of(EndpointLoad.OTHER), endpoints.names());
            assertEquals(0, endpoints.ofStream(connection, 0));
            assertArrayEquals(new long[] {0}, endpoints.count(0, 0));
        }
    }
}
