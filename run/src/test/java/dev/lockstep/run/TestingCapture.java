package dev.lockstep.run;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes small capture files. */
public final class TestingCapture {
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 40000);
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080);

    private TestingCapture() {}

    /** Writes GET requests spread over connections, one every {@code gapNs}. */
    public static Path gets(Path file, int connections, int requests, long gapNs) {
        return requests(file, Protocol.HTTP1, connections, requests, gapNs);
    }

    /** Writes the same requests on connections said to have a protocol. */
    public static Path requests(Path file, Protocol protocol, int connections, int requests, long gapNs) {
        long startNs = System.nanoTime();
        try (CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults())) {
            int[] ids = new int[connections];
            for (int i = 0; i < connections; i++) {
                ids[i] = writer.openConnection(startNs, CLIENT, SERVER);
                writer.protocol(ids[i], startNs, protocol);
            }
            for (int i = 0; i < requests; i++) {
                byte[] request = ("GET /" + i + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
                writer.data(
                        ids[i % connections],
                        startNs + i * gapNs,
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        ByteBuffer.wrap(request));
            }
            for (int id : ids) {
                writer.closeConnection(id, startNs + requests * gapNs, CloseReason.CLIENT_FIN);
            }
        }
        return file;
    }

    /** Writes bytes of an unknown protocol on one connection. */
    public static Path stream(Path file, String bytes) {
        long startNs = System.nanoTime();
        try (CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults())) {
            int id = writer.openConnection(startNs, CLIENT, SERVER);
            writer.data(id, startNs, 0, ByteBuffer.wrap(bytes.getBytes(StandardCharsets.US_ASCII)));
            writer.closeConnection(id, startNs, CloseReason.CLIENT_FIN);
        }
        return file;
    }

    /** Writes a GET request, and copies the file when it is written and before it is closed. */
    public static void unclosed(Path file, Path copy) throws IOException {
        long startNs = System.nanoTime();
        byte[] request = "GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults())) {
            int id = writer.openConnection(startNs, CLIENT, SERVER);
            writer.data(id, startNs, RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END, ByteBuffer.wrap(request));
            while (CaptureReader.verify(file, OpenOptions.defaults()).requests() == 0) {
                Thread.onSpinWait();
            }
            Files.copy(file, copy);
        }
    }
}
