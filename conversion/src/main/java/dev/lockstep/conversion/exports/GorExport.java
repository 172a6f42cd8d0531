package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.Protocol;
import dev.lockstep.conversion.GorFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Writes the HTTP/1 requests of a capture as GoReplay reads them. A request that holds GoReplay's separator would be
 * read as two, and is left out. For one thread.
 */
final class GorExport {
    private static final byte[] SEPARATOR = GorFormat.separator();

    private final OutputStream out;

    GorExport(OutputStream out) {
        this.out = out;
    }

    ExportReport write(CaptureReader reader, Runnable check) throws IOException {
        WholeRequests requests = new WholeRequests(check);
        requests.read(reader, this::write);
        return requests.report(ExportFormat.GOR);
    }

    private String write(WholeRequests.Connection connection, long epochNs, byte[] request) throws IOException {
        if (connection.protocol != Protocol.HTTP1) {
            return "requests that are not HTTP/1, which GoReplay cannot send";
        }
        if (holdsSeparator(request)) {
            return "requests that hold GoReplay's separator";
        }
        // As many digits as ns have today: readers take fewer for us, ms or s.
        String head = String.format(Locale.ROOT, "1 %s %019d 0\n", id(connection), epochNs);
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        out.write(request);
        out.write(SEPARATOR);
        return null;
    }

    /** An id as GoReplay makes it. The connection's number stands for an address that does not fit. */
    private static String id(WholeRequests.Connection connection) {
        InetSocketAddress client = connection.start.client();
        InetSocketAddress server = connection.start.server();
        byte[] address = client == null ? new byte[0] : client.getAddress().getAddress();
        long ip = connection.number;
        int clientPort = 0;
        // Of a log's clients nobody knows the port, which tells their connections apart.
        if (address.length == 4 && client.getPort() != 0) {
            clientPort = client.getPort();
            ip = (address[0] & 0xFFL) << 24 | (address[1] & 0xFF) << 16 | (address[2] & 0xFF) << 8 | address[3] & 0xFF;
        }
        return String.format(
                Locale.ROOT,
                "%04x%04x%08x%08x",
                clientPort,
                server == null ? 0 : server.getPort(),
                ip,
                connection.requests & 0xFFFFFFFFL);
    }

    private static boolean holdsSeparator(byte[] request) {
        String text = new String(request, StandardCharsets.ISO_8859_1);
        String separator = new String(SEPARATOR, StandardCharsets.ISO_8859_1);
        // Its own last line feed may be the record's.
        return text.contains(separator) || text.endsWith(separator.substring(0, separator.length() - 1));
    }
}
