package dev.lockstep.cli.command;

import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Writes to a standard stream in a terminal's encoding, through at the end of each line; UTF-8 where that is asked. */
public final class OutputWriter extends PrintWriter {
    private final OutputStream bytes;

    public OutputWriter(OutputStream bytes, Charset encoding) {
        super(new OutputStreamWriter(bytes, encoding), true);
        this.bytes = bytes;
    }

    /** Returns what writes UTF-8 to the same place, to be flushed; the same where that has no encoding, as in tests. */
    public static PrintWriter utf8(PrintWriter out) {
        out.flush();
        return out instanceof OutputWriter
                ? new PrintWriter(new OutputStreamWriter(((OutputWriter) out).bytes, StandardCharsets.UTF_8))
                : out;
    }
}
