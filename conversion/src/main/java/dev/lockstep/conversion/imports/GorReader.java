package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.GorFormat;
import dev.lockstep.conversion.HttpHead;
import dev.lockstep.conversion.Limits;
import dev.lockstep.protocol.HttpRequestFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads GoReplay's file: records that end with a line of three monkeys, each a line {@code type id time latency} and
 * the bytes as they were sent. Type 1 is a request; 2 and 3 are answers, which are passed over.
 *
 * <p>An id of 24 digits tells the connection: it holds the client's port, the server's port, the client's IPv4 address
 * and a sequence number (GoReplay, {@code tcp/tcp_message.go}). Other ids tell nothing. A request that GoReplay cut or
 * glued gets a connection of its own, where it harms no other.
 */
final class GorReader implements EntryReader {
    private static final byte[] SEPARATOR = GorFormat.separator();

    private static final Pattern HEAD = Pattern.compile("([123]) ([0-9A-Za-z_-]{1,64}) ([0-9]{9,19})(?: -?[0-9]+)?");
    private static final int CONNECTION_DIGITS = 16;

    private final ImportFile file;
    private final ByteSource source;
    private long record;
    private long broken;

    GorReader(ImportFile file) throws IOException {
        this.file = file;
        this.source = new ByteSource(file.open());
    }

    /** Whether a line begins a record. */
    static boolean isHead(String line) {
        return HEAD.matcher(line).matches();
    }

    @Override
    public Entry next() throws IOException {
        for (byte[] bytes = nextRecord(); bytes != null; bytes = nextRecord()) {
            String place = "record " + record;
            if (source.wasTooLong()) {
                file.skip("the record is longer than " + Limits.REQUEST_BYTES + " bytes", place);
                continue;
            }
            int lineEnd = 0;
            while (lineEnd < bytes.length && bytes[lineEnd] != '\n' && lineEnd < 200) {
                lineEnd++;
            }
            Matcher head = HEAD.matcher(new String(bytes, 0, lineEnd, StandardCharsets.ISO_8859_1));
            if (!head.matches()) {
                if (!isBlank(bytes) && !source.wasSeparated()) {
                    file.damaged("the last record has no end", place);
                } else if (!isBlank(bytes)) {
                    file.skip("the record has no line with type, id and time", place);
                }
                continue;
            }
            if (!head.group(1).equals("1")) {
                continue;
            }
            if (!source.wasSeparated()) {
                file.damaged("the last record has no end", place);
            }
            Entry entry = request(head, bytes, Math.min(bytes.length, lineEnd + 1), place);
            if (entry != null) {
                return entry;
            }
        }
        return null;
    }

    private byte[] nextRecord() throws IOException {
        record++;
        return source.readUntil(SEPARATOR, Limits.REQUEST_BYTES);
    }

    private static boolean isBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b != '\n' && b != '\r' && b != ' ') {
                return false;
            }
        }
        return true;
    }

    private Entry request(Matcher head, byte[] record, int from, String place) {
        int length = record.length - from;
        if (length == 0) {
            file.skip("the request is empty", place);
            return null;
        }
        long timeNs = timeNs(head.group(3));
        if (timeNs == Entry.NO_TIME) {
            file.skip("the time is behind the year 2262", place);
            return null;
        }
        byte[] bytes = Arrays.copyOfRange(record, from, record.length);
        String id = head.group(2);
        String connection = null;
        InetSocketAddress client = null;
        if (id.matches("[0-9a-fA-F]{24}")) {
            connection = id.substring(0, CONNECTION_DIGITS);
            client = client(connection);
        }
        boolean last = HttpHead.endsConnection(bytes, connection == null);
        HttpRequestFramer framer = new HttpRequestFramer();
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        int at = 0;
        while (at < bytes.length) {
            at = framer.feed(buffer, at, bytes.length);
        }
        if (framer.isRecognised() && !(framer.isBetweenRequests() && !framer.isOpaque())) {
            file.change("the bytes are not one whole request: imported on a connection of their own", place);
            connection = "broken " + broken++;
            last = true;
        }
        return new RebuiltRequest(timeNs, bytes, "gor", last).on(connection).between(client, null);
    }

    private static InetSocketAddress client(String digits) {
        int port = Integer.parseInt(digits.substring(0, 4), 16);
        if (port == 0) {
            return null; // no real client: GorExport knew no address
        }
        byte[] address = new byte[4];
        for (int i = 0; i < address.length; i++) {
            address[i] = (byte) Integer.parseInt(digits.substring(8 + 2 * i, 10 + 2 * i), 16);
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    /** A time in ns, or none when it is too long. Fewer digits than ns since 2001 have are us, ms or s. */
    private static long timeNs(String digits) {
        int length = digits.length();
        try {
            return Math.multiplyExact(
                    Long.parseLong(digits),
                    length >= 18 ? 1L : length >= 15 ? 1_000L : length >= 12 ? 1_000_000L : 1_000_000_000L);
        } catch (NumberFormatException | ArithmeticException e) {
            return Entry.NO_TIME;
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
