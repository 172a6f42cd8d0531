package dev.lockstep.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.RecordType;
import dev.lockstep.capture.RecordedStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrafficRecorderTest {
    private static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String POST = "POST /b HTTP/1.1\r\nContent-Length: 10\r\n\r\n";

    @TempDir
    private Path folder;

    @Test
    void countsARequestWithAHoleAsIncomplete() {
        TrafficStatus status = record(false, connection -> {
            client(connection, GET + POST + "012");
            connection.clientBytesMissing(2, 4);
            client(connection, "789" + GET + POST);
            connection.clientBytesMissing(3, 0);
            client(connection, "the rest");
            client(connection, GET);
        });

        assertEquals(3, status.requests());
        assertEquals(2, status.incompleteRequests());
        assertEquals(2, status.gaps());
        assertEquals(4, status.missedBytes());
        assertEquals(0, status.opaqueConnections()); // what is left of a request behind a hole is part of it
    }

    @Test
    void countsAConnectionOnceHoweverOftenItIsLost() {
        TrafficStatus status = record(true, connection -> {
            client(connection, "the rest");
            client(connection, GET);
            connection.clientBytesMissing(2, 0);
            client(connection, "more of the rest");
        });

        assertEquals(1, status.requests());
        assertEquals(0, status.incompleteRequests());
        assertEquals(1, status.opaqueConnections());
    }

    @Test
    void countsAConnectionAsOpaqueOnceItHasSuchBytes() {
        String upgrade = "GET /w HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        for (String frames : new String[] {"", "\u0081\u0080"}) {
            TrafficStatus status = record(false, connection -> {
                client(connection, upgrade);
                ByteBuf answer = Unpooled.copiedBuffer(
                        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n", StandardCharsets.ISO_8859_1);
                connection.serverBytes(2, answer, 0, answer.readableBytes());
                client(connection, frames);
            });

            assertEquals(frames.isEmpty() ? 0 : 1, status.opaqueConnections());
            assertEquals(0, status.incompleteRequests());
        }
    }

    @Test
    void takesEmptyLinesForNoRequest() {
        assertEquals(
                0, record(false, connection -> client(connection, GET + "\r\n")).incompleteRequests());
        assertEquals(
                1, record(false, connection -> client(connection, GET + "GE")).incompleteRequests());
        assertEquals(
                1,
                record(false, connection -> {
                            client(connection, GET + "GE");
                            client(connection, "\u0001T");
                        })
                        .incompleteRequests());
    }

    @Test
    void countsTheRequestsOfHttp2BesideTheOthers() {
        String headers = "\u0000\u0000\u0003\u0001\u0005\u0000\u0000\u0000\u0001\u0082\u0086\u0084";
        TrafficStatus status =
                record(false, connection -> client(connection, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + headers));

        assertEquals(1, status.http2Requests());
        assertEquals(0, status.requests());
        assertEquals(0, status.opaqueConnections());
    }

    @Test
    void givesUpAConnectionAndNotItsTrafficWhenItsOwnCodeFails() {
        TrafficStatus status = record(false, connection -> {
            client(connection, GET);
            ByteBuf unreadable = Unpooled.copiedBuffer(GET, StandardCharsets.ISO_8859_1);
            unreadable.release();
            connection.clientBytes(2, unreadable, 0, GET.length());
            client(connection, GET);
            connection.clientBytesMissing(3, 5);
            connection.clientEnded(4);
        });

        assertEquals(1, status.recordedRequests());
        assertEquals(1, status.defects());
        assertEquals(
                "IllegalReferenceCountException", status.lastDefect().getClass().getSimpleName());
        assertEquals(1, status.lostConnections());
        assertEquals(2 * GET.length(), status.lostBytes());
        assertEquals(0, status.openConnections());
    }

    /** A defect ends the recording of one connection, not the packet reader that all of them share. */
    @Test
    void givesUpAConnectionWhenItsOwnCodeFailsAtAHoleOrAtItsEnd() {
        try (CaptureWriter writer = CaptureWriter.create(
                folder.resolve("capture.bin"), CaptureOptions.builder().build())) {
            TrafficRecorder recorder = new TrafficRecorder(writer, null, null);
            List<Consumer<RecordedConnection>> events = List.of(
                    connection -> connection.clientBytesMissing(2, 5),
                    connection -> connection.serverBytesMissing(2, 5),
                    connection -> connection.close(2, CloseReason.CLIENT_FIN));
            for (Consumer<RecordedConnection> event : events) {
                int connection = writer.openConnection(1, null, null);
                // Without a framer, all that asks it fails.
                event.accept(new RecordedConnection(writer, recorder.counters(), null, null, connection));
            }

            assertEquals(3, recorder.status().defects());
            assertEquals(3, recorder.status().lostConnections());
        }
    }

    @Test
    void keepsHowEachRequestWasAnswered() {
        record(false, connection -> {
            client(connection, GET);
            server(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 302 F\r\nContent-Le");
            client(connection, "HEAD /h HTTP/1.1\r\n\r\n" + GET);
            server(connection, "ngth: 0\r\n\r\n");
            server(connection, "HTTP/1.1 404 N\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
            client(connection, POST);
            server(connection, "HTTP/1.1 100 Continue\r\n\r\n");
            client(connection, "0123456789");
            server(connection, "HTTP/1.1 401 U\r\nContent-Length: 0\r\n\r\n");
            client(connection, POST);
            server(connection, "HTTP/1.1 413 L\r\nContent-Length: 0\r\n\r\n");
            client(connection, "0123456789" + GET + GET);
            server(connection, "HTTP/1.1 500 E\r\n\r\nuntil the end");
        });

        assertEquals(List.of(200, 302, 404, 401, 413, 500, 0), statuses());
    }

    @Test
    void takesARequestForPipelinedOnlyWhereTheOneBeforeWasNotAnswered() {
        String ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        record(false, connection -> {
            client(connection, GET);
            server(connection, ok);
            client(connection, POST + "01234");
            server(connection, "HTTP/1.1 413 L\r\nContent-Length: 0\r\n\r\n");
            client(connection, "56789");
            client(connection, GET + GET);
            server(connection, ok + ok);
            client(connection, GET);
        });

        assertEquals(List.of(false, false, false, true, false), pipelined());

        // The one that was answered early has a hole, and is not in the file.
        record(false, connection -> {
            client(connection, POST + "01");
            server(connection, "HTTP/1.1 413 L\r\nContent-Length: 0\r\n\r\n");
            connection.clientBytesMissing(2, 3);
            client(connection, "56789" + GET + GET);
        });

        assertEquals(List.of(false, true), pipelined());
    }

    /**
     * Some servers tell the length of their 408, some end it with the connection; one to half a request is its answer.
     */
    @Test
    void takesWhatAServerSaysToAnIdleConnectionForNoAnswer() {
        for (String tail : List.of("Content-Length: 2\r\n\r\nno", "Connection: close\r\n\r\n<html>")) {
            record(false, connection -> {
                client(connection, GET);
                server(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                server(connection, "HTTP/1.1 408 Request Timeout\r\n" + tail);
            });
            assertEquals(Map.of(200, 1L), answers());

            record(false, connection -> {
                client(connection, GET + "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n01234");
                server(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                server(connection, "HTTP/1.1 408 Request Timeout\r\n" + tail);
            });
            assertEquals(Map.of(200, 1L, 408, 1L), answers());
        }
    }

    @Test
    void keepsNoStatusThatItCannotAscribe() {
        // The body goes on behind what is missing.
        record(false, connection -> {
            client(connection, GET);
            server(connection, "HTTP/1.1 201 C\r\nContent-Length: 100\r\n\r\n");
            connection.serverBytesMissing(2, 100);
            client(connection, GET);
            server(connection, "HTTP/1.1 202 A\r\nContent-Length: 100\r\n\r\n");
            connection.serverBytesMissing(2, 0);
            client(connection, GET);
            server(connection, "HTTP/1.1 204 N\r\n\r\n");
            connection.serverBytesMissing(2, 0);
            client(connection, GET + GET);
            server(connection, "HTTP/1.1 203 N\r\nContent-Length: 0\r\n\r\n");
            connection.serverBytesMissing(2, 0);
            client(connection, GET);
            server(connection, "HTTP/1.1 205 N\r\nContent-Length: 0\r\n\r\n");
        });
        assertEquals(List.of(201, 202, 204, 203, 0, 205), statuses());

        // Two requests wait where bytes are missing: whose answer comes next is not known.
        record(false, connection -> {
            client(connection, GET + GET);
            connection.serverBytesMissing(2, 0);
            server(connection, "HTTP/1.1 200 N\r\nContent-Length: 0\r\n\r\n");
        });
        assertEquals(List.of(0, 0), statuses());

        // Behind a hole the file has other numbers for requests.
        record(false, connection -> {
            client(connection, GET + "GET /cut");
            connection.clientBytesMissing(2, 0);
            client(connection, GET);
            server(connection, "HTTP/1.1 200 N\r\nContent-Length: 0\r\n\r\n".repeat(2));
        });
        assertEquals(List.of(0, 0), statuses());

        record(false, connection -> {
            client(connection, GET);
            server(connection, "no HTTP at all\r\n");
            client(connection, GET);
            server(connection, "HTTP/1.1 200 N\r\nContent-Length: 0\r\n\r\n");
        });
        assertEquals(List.of(0, 0), statuses());
    }

    @Test
    void keepsWhichThriftCallsWereAnsweredWithAnException() {
        record(false, connection -> {
            client(connection, thrift(1, 1) + thrift(1, 2));
            server(connection, thrift(2, 1) + thrift(3, 2));
            client(connection, thrift(1, 3));
            server(connection, thrift(2, 3));
        });

        assertEquals(
                List.of(RecordedStatus.THRIFT_REPLY, RecordedStatus.THRIFT_EXCEPTION, RecordedStatus.THRIFT_REPLY),
                statuses());
    }

    @Test
    void marksCallsThatGetNoAnswerUnlessAHoleGivesThemOtherNumbers() {
        record(false, connection -> client(connection, thrift(4, 1) + thrift(1, 2)));
        assertEquals(List.of(0L), unanswered());

        // The framer counts the call with the hole, which has no end in the file.
        String call = "\0\0\4\0" + thrift(1, 1).substring(4, 20) + "x".repeat(1_008);
        record(false, connection -> {
            client(connection, call.substring(0, 300));
            connection.clientBytesMissing(2, 400);
            client(connection, call.substring(700));
            client(connection, thrift(4, 2) + thrift(1, 3));
        });
        assertEquals(2, statuses().size());
        assertEquals(List.of(), unanswered());
    }

    /** A message of framed binary Thrift without fields. */
    private static String thrift(int type, int sequenceId) {
        return "\0\0\0\21\u0080\1\0" + (char) type + "\0\0\0\4ping\0\0\0" + (char) sequenceId + "\0";
    }

    private List<Integer> statuses() {
        try (Capture capture = Capture.open(folder.resolve("capture.bin"))) {
            List<Integer> statuses = new ArrayList<>();
            for (long request = 0; request < capture.requestCount(); request++) {
                statuses.add(capture.recordedStatus(request));
            }
            return statuses;
        }
    }

    private List<Boolean> pipelined() {
        try (Capture capture = Capture.open(folder.resolve("capture.bin"))) {
            List<Boolean> pipelined = new ArrayList<>();
            for (long request = 0; request < capture.requestCount(); request++) {
                pipelined.add(capture.isPipelined(request));
            }
            return pipelined;
        }
    }

    private List<Long> unanswered() {
        try (Capture capture = Capture.open(folder.resolve("capture.bin"))) {
            List<Long> unanswered = new ArrayList<>();
            for (long request = 0; request < capture.requestCount(); request++) {
                if (!capture.getsAnswer(request)) {
                    unanswered.add(request);
                }
            }
            return unanswered;
        }
    }

    /** Returns all answers that the file tells of, also those to no whole request, as inspect counts them. */
    private Map<Integer, Long> answers() {
        Map<Integer, Long> answers = new TreeMap<>();
        try (CaptureReader reader = CaptureReader.open(folder.resolve("capture.bin"), OpenOptions.defaults())) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                if (record.type() == RecordType.ANSWER) {
                    answers.merge(record.answeredStatus(), 1L, Long::sum);
                }
            }
        }
        return answers;
    }

    private static void server(RecordedConnection connection, String bytes) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        connection.serverBytes(2, buffer, 0, bytes.length());
    }

    private TrafficStatus record(boolean alreadyOpen, Consumer<RecordedConnection> traffic) {
        try (CaptureWriter writer = CaptureWriter.create(
                folder.resolve("capture.bin"),
                CaptureOptions.builder().overwrite(true).build())) {
            TrafficRecorder recorder = new TrafficRecorder(writer, null, null);
            RecordedConnection connection = recorder.open(1, null, null, alreadyOpen);
            traffic.accept(connection);
            connection.close(4, CloseReason.CLIENT_FIN);
            return recorder.status();
        }
    }

    private static void client(RecordedConnection connection, String bytes) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        connection.clientBytes(1, buffer, 0, bytes.length());
    }
}
