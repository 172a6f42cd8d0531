package dev.lockstep.cli;

import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.terminal.Terminal;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Standard output, which remembers why it could not be written; a {@link PrintWriter} would keep that to itself. */
final class StandardOutput extends OutputStream {
    private final OutputStream out;
    private final Path link;
    /** Why the first write failed; nothing is written behind it, so that what was written has no holes. */
    private volatile IOException failure;

    /** @param link is to what is written, as the kernel shows it */
    StandardOutput(OutputStream out, Path link) {
        this.out = out;
        this.link = link;
    }

    /** Returns a writer that writes through at the end of each line, in the terminal's encoding. */
    PrintWriter writer() {
        return new OutputWriter(this, Terminal.encoding("stdout"));
    }

    /** Returns why something could not be written; nothing where whoever reads a pipe had enough, as head has. */
    Optional<String> problem() {
        IOException found = failure;
        if (found == null) {
            return Optional.empty();
        }
        String message = String.valueOf(found.getMessage());
        // The system's words may be in the user's language; a pipe fails otherwise only where it must not block.
        boolean left = message.equals("Broken pipe") || isPipe() && !message.equals("Resource temporarily unavailable");
        return left ? Optional.empty() : Optional.of(message);
    }

    private boolean isPipe() {
        try {
            return Files.readSymbolicLink(link).toString().startsWith("pipe:");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (failure != null) {
            throw failure;
        }
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }
}
