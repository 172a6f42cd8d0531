package dev.lockstep.echo;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes the capture for the echo servers: many connections that each send messages of random bytes, in turn and evenly
 * spread over time.
 *
 * <p>Design note: a message begins with the head of an HTTP response. So the echo of it is an HTTP response, which the
 * replayer understands as the answer, and the servers are the plain echo servers of the experiment, without a codec.
 *
 * <p>Exit codes: 1 if the file cannot be written, 2 if the command line is wrong.
 */
public final class EchoCapture {
    private static final int SHORTEST = 64;

    private EchoCapture() {}

    /** Writes the file that {@code --out} names. */
    public static void main(String[] arguments) {
        try {
            List<String> defaults = List.of(
                    "--out",
                    "",
                    "--connections",
                    "16384",
                    "--messages",
                    "4",
                    "--bytes",
                    "256",
                    "--rate",
                    "20000",
                    "--seed",
                    "1");
            if (EchoOptions.help("EchoCapture", defaults, arguments)) {
                return;
            }
            EchoOptions options = EchoOptions.parse(defaults, arguments);
            if (options.text("--out").isEmpty()) {
                throw new IllegalArgumentException("--out FILE is missing");
            }
            int connections = options.number("--connections", 1, 1_000_000);
            int messages = options.number("--messages", 1, 1_000_000);
            write(
                    Path.of(options.text("--out")),
                    connections,
                    messages,
                    options.number("--bytes", SHORTEST, 1_000_000),
                    options.number("--rate", 1, 10_000_000),
                    options.number("--seed", Integer.MIN_VALUE, Integer.MAX_VALUE));
            System.out.println(options.text("--out") + ": " + connections + " connections, "
                    + (long) connections * messages + " messages");
        } catch (IllegalArgumentException e) {
            System.err.println("echo-capture: " + e.getMessage());
            System.exit(2);
        } catch (CaptureException e) {
            System.err.println("echo-capture: " + e.getMessage());
            System.exit(1);
        }
    }

    /**
     * Writes a capture in which all connections together send so many messages a second; an existing file is replaced.
     */
    static void write(Path file, int connections, int messages, int bytes, int ratePerSec, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CaptureOptions options = CaptureOptions.builder()
                .overwrite(true)
                .waitForDisk(true)
                .comment("made by EchoCapture, seed " + seed)
                .build();
        try (CaptureWriter writer = CaptureWriter.create(file, options)) {
            long startNs = System.nanoTime();
            int[] ids = new int[connections];
            for (int i = 0; i < connections; i++) {
                ids[i] = writer.openConnection(startNs, null, null);
                writer.protocol(ids[i], startNs, Protocol.HTTP1);
            }
            long atNs = startNs;
            for (long n = 0; n < (long) connections * messages; n++) {
                atNs = startNs + (long) (n * 1e9 / ratePerSec);
                writer.data(
                        ids[(int) (n % connections)],
                        atNs,
                        RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END,
                        ByteBuffer.wrap(message(bytes, random)));
            }
            for (int id : ids) {
                writer.closeConnection(id, atNs, CloseReason.CLIENT_FIN);
            }
        }
    }

    /** So many bytes in all, the head included. */
    static byte[] message(int bytes, SplittableRandom random) {
        String begin = "HTTP/1.1 200 OK\r\nContent-Length: ";
        int digits = Integer.toString(bytes - begin.length() - 4).length();
        int body = bytes - begin.length() - 4 - digits;
        byte[] head =
                (begin + String.format("%0" + digits + "d", body) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] message = new byte[bytes];
        random.nextBytes(message);
        System.arraycopy(head, 0, message, 0, head.length);
        return message;
    }
}
