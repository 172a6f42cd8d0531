package dev.lockstep.cli.replay;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.conversion.UrlParts;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.directory.FileTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** One request to a URL, as curl would send it, which is replayed in place of a capture. Immutable. */
final class UrlRequest {
    /** Any value may be a secret, and a parameter without a name may be a value. */
    private static final Pattern VALUES = Pattern.compile("(?<=[?&])(?:([^=&]*=)[^&]*|[^=&]+)");

    private static final Pattern PATH_PARAMETERS = Pattern.compile(";[^/]*");

    private final UrlParts url;
    private final byte[] bytes;

    /** @param body the body, or null for none */
    UrlRequest(UrlParts url, String method, String contentType, List<String> headers, byte[] body) {
        this.url = url;
        // Names as the user spells them, found by their lower case.
        Map<String, String> fields = new LinkedHashMap<>();
        put(fields, "Host", url.authority);
        put(fields, "User-Agent", "lockstep");
        put(fields, "Accept", "*/*");
        if (contentType != null) {
            put(fields, "Content-Type", contentType);
        }
        for (String header : headers) {
            int colon = header.indexOf(':');
            put(
                    fields,
                    header.substring(0, colon).trim(),
                    header.substring(colon + 1).trim());
        }
        if (body != null) {
            put(fields, "Content-Length", Integer.toString(body.length));
        }
        StringBuilder head =
                new StringBuilder(method).append(' ').append(url.target).append(" HTTP/1.1\r\n");
        fields.values().forEach(field -> head.append(field).append("\r\n"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        if (body != null) {
            out.writeBytes(body);
        }
        bytes = out.toByteArray();
    }

    private static void put(Map<String, String> fields, String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (value.isEmpty()) {
            fields.remove(lower);
        } else {
            fields.put(lower, name + ": " + value);
        }
    }

    /** Returns the server that the URL names, as {@code --targets} takes it. */
    String target() {
        return url.scheme + "://" + url.authority;
    }

    /** Returns the URL for people and files, without what may be secret. */
    String shown() {
        int query = url.target.indexOf('?');
        String path = query < 0 ? url.target : url.target.substring(0, query);
        return url.scheme + "://" + url.authority
                + PATH_PARAMETERS.matcher(path).replaceAll("")
                + (query < 0
                        ? ""
                        : VALUES.matcher(url.target.substring(query))
                                .replaceAll(value -> (value.group(1) == null ? "" : value.group(1)) + "***"));
    }

    /** Opens a capture of this request alone. No file of it is left: the request may hold secrets. */
    Capture open() {
        Path folder = null;
        try {
            folder = Files.createTempDirectory("lockstep-url");
            Path file = folder.resolve("url.bin");
            long nowNs = System.nanoTime();
            CaptureWriter writer = CaptureWriter.create(
                    file, CaptureOptions.builder().waitForDisk(true).build());
            try (writer) {
                int connection = writer.openConnection(nowNs, null, null);
                writer.protocol(connection, nowNs, Protocol.HTTP1);
                writer.data(
                        connection, nowNs, RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END, ByteBuffer.wrap(bytes));
                writer.closeConnection(connection, nowNs, CloseReason.CLIENT_FIN);
            }
            if (writer.totals().failure() != null) {
                throw new CliException(writer.totals().failure());
            }
            // What is mapped stays.
            return Capture.open(file);
        } catch (IOException e) {
            throw new CliException("cannot write the request to " + System.getProperty("java.io.tmpdir") + ": "
                    + MeasurementException.reason(e)
                    + "; choose another folder with LOCKSTEP_JAVA_OPTS=-Djava.io.tmpdir=DIR");
        } finally {
            remove(folder);
        }
    }

    private static void remove(Path folder) {
        try {
            if (folder != null) {
                FileTree.remove(folder);
            }
        } catch (IOException e) {
            // Readable by its owner only, in the folder of temporary files.
        }
    }
}
