package dev.lockstep.search;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A program of the user's, started once by a shell, that is asked and answers by lines. What it writes to standard
 * error is kept in a file. Its end closes its standard input, also where this process is killed. Used by one thread,
 * which closes it.
 */
final class OutsideProgram implements AutoCloseable {
    private static final long LOOK_MS = 50;
    /** So often it is looked whether an answer goes on that is a whole object: for two seconds. */
    private static final int MOST_LOOKS = 40;

    private static final long GRACE_S = 2;
    /** How often it is looked for what the program started, a walk through all processes. */
    private static final long LOOK_FOR_STARTED_NS = 1_000_000_000;
    /** More is no answer, and must not fill the memory. */
    private static final int LONGEST_LINE = 1 << 20;
    /** One that answers nothing meanwhile never will. */
    private static final int MOST_OTHER_LINES = 10_000;
    /**
     * A program that writes more characters before they are read has to wait. It is room for the answers to all that
     * may be asked before one is read: else it would wait for us while we wait to ask it more.
     */
    private static final int MOST_WAITING = 16 * LONGEST_LINE;
    /** What a line takes beside its characters, in characters. */
    private static final int OF_EACH_LINE = 100;
    /** How far back the last line of its errors is looked for. */
    private static final int MOST_ERROR_BYTES = 8192;

    /** What some write before their first line, such as programs of .NET. */
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final String MEND = "; mend it, and the same command goes on";

    private final String command;
    private final Path errors;
    private final Process process;
    private final BufferedWriter in;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(MOST_WAITING);
    private final Thread reader;
    /** How long the file of its errors was before it was started. */
    private final long errorsBefore;

    /** What the shell started, and others from there on, as last seen; some may have ended. */
    private final Set<ProcessHandle> started = new HashSet<>();

    private long lookedNs = System.nanoTime() - LOOK_FOR_STARTED_NS;
    private boolean hasEnded;
    /** What it wrote at last, if that is an answer that does not end; else null. */
    private volatile String halfAnswer;

    /** How many lines came before the last question and are not read. */
    private int earlier;
    /** Whether the line that was read last is one of them. */
    private boolean isEarlier;
    /** How many lines came since the last answer that are none. */
    private int others;

    private OutsideProgram(String command, Path errors, long errorsBefore, Process process) {
        this.command = command;
        this.errors = errors;
        this.errorsBefore = errorsBefore;
        this.process = process;
        in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        reader = new Thread(this::read, "lockstep-program");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * @param errors gets what it writes to standard error, appended
     * @param environment changes this process's environment to the program's
     */
    static OutsideProgram start(String command, Path errors, Consumer<Map<String, String>> environment) {
        try {
            long errorsBefore = errorsBefore(errors);
            ProcessBuilder builder = new ProcessBuilder("sh", "-c", command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
            environment.accept(builder.environment());
            return new OutsideProgram(command, errors, errorsBefore, builder.start());
        } catch (IOException e) {
            throw new SearchException("'" + command + "': cannot be started: " + e.getMessage());
        }
    }

    /** Returns how long the file of its errors is, which is made where there is none. */
    private static long errorsBefore(Path errors) {
        try {
            OwnerOnly.makeFile(errors);
            return Files.size(errors);
        } catch (IOException e) {
            throw new SearchException(errors + ": cannot be written: " + SearchException.reason(e));
        }
    }

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            while (true) {
                if (line.length() > 0 && isWhole(out, line)) {
                    keepWaiting(line);
                    line.setLength(0);
                }
                int c = out.read();
                if (c < 0) {
                    break;
                } else if (c == '\n') {
                    keepWaiting(line);
                    line.setLength(0);
                } else if (line.length() < LONGEST_LINE && !(line.length() == 0 && c == BYTE_ORDER_MARK)) {
                    line.append((char) c);
                }
            }
            if (JsonLines.isCut(line.toString())) {
                halfAnswer = line.toString().strip();
            } else if (line.length() > 0) {
                keepWaiting(line);
            }
        } catch (IOException e) {
            // As at its end.
        } catch (InterruptedException e) {
            // Nobody reads any more.
            return;
        }
        lines.add(Optional.empty());
    }

    private void keepWaiting(CharSequence line) throws InterruptedException {
        room.acquire(size(line));
        lines.add(Optional.of(line.toString()));
    }

    private static int size(CharSequence line) {
        return OF_EACH_LINE + line.length();
    }

    /**
     * Whether an answer has come whose line does not end, by a program that waits for the next question: it is an
     * object, and nothing follows for a while. Of one that has ended the end of its output tells it.
     */
    private boolean isWhole(BufferedReader out, CharSequence line) throws IOException, InterruptedException {
        if (out.ready() || !line.toString().stripTrailing().endsWith("}")) {
            return false;
        }
        for (int i = 0; i < MOST_LOOKS && process.isAlive() && !out.ready(); i++) {
            Thread.sleep(LOOK_MS);
        }
        return !out.ready() && JsonLines.isObject(line.toString());
    }

    /** @throws EndedException where it reads no more */
    void write(String line) {
        earlier = lines.size();
        try {
            in.write(line);
            in.write('\n');
            in.flush();
        } catch (IOException e) {
            throw ended();
        }
    }

    /**
     * Returns its next answer, a line that begins as an object of JSON does, without waiting longer than is wanted.
     * What it writes beside, such as a library's greeting, goes to its errors.
     *
     * @param givesUp asked some 20 times a second
     * @return absent where that says so
     * @throws EndedException where it has ended
     * @throws SearchException where it only writes something else
     */
    Optional<String> read(BooleanSupplier givesUp) {
        while (true) {
            Optional<String> line = line(givesUp).map(String::strip);
            if (line.isEmpty() || line.get().startsWith("{")) {
                others = 0;
                return line;
            }
            if (!line.get().isEmpty()) {
                keep(line.get());
                if (++others == MOST_OTHER_LINES) {
                    throw wrong("expected a JSON object, found " + others + " other lines, the last is "
                            + JsonLines.shown(line.get()));
                }
            }
        }
    }

    private void keep(String line) {
        try {
            Files.writeString(errors, line + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            // It was for people; the search needs none of it.
        }
    }

    private Optional<String> line(BooleanSupplier givesUp) {
        try {
            while (!givesUp.getAsBoolean()) {
                Optional<String> line = hasEnded ? Optional.empty() : lines.poll(LOOK_MS, TimeUnit.MILLISECONDS);
                if (line == null && isGone()) {
                    line = Optional.empty();
                }
                if (line != null && line.isPresent()) {
                    room.release(size(line.get()));
                    isEarlier = earlier > 0;
                    earlier = Math.max(0, earlier - 1);
                    return line;
                }
                if (line != null) {
                    hasEnded = true;
                    EndedException ended = ended();
                    // Ctrl-C reaches both, and either may be first to act on it.
                    if (givesUp.getAsBoolean()) {
                        break;
                    }
                    throw ended;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    /** Whether what was read last had come before the last question. */
    boolean cameBeforeQuestion() {
        return isEarlier;
    }

    /** Whether a line has come that was not read. */
    boolean hasLine() {
        return !lines.isEmpty();
    }

    /**
     * Whether it has ended some time ago. Its output does not end with it where another process that it started holds
     * that, such as a server in the background.
     */
    private boolean isGone() throws InterruptedException {
        long nowNs = System.nanoTime();
        if (process.isAlive() && nowNs - lookedNs > LOOK_FOR_STARTED_NS) {
            lookedNs = nowNs;
            started.removeIf(one -> !one.isAlive());
            process.descendants().forEach(started::add);
        }
        // What it wrote at last is still on its way.
        return !process.isAlive() && !waitForLine();
    }

    private boolean waitForLine() throws InterruptedException {
        reader.join(TimeUnit.SECONDS.toMillis(GRACE_S));
        return !lines.isEmpty();
    }

    private EndedException ended() {
        String how = "closed its output";
        try {
            if (process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
                how = "ended with exit code " + process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String half = halfAnswer;
        how += half == null ? " before it answered" : " within its answer " + JsonLines.shown(half);
        return new EndedException(command, how, lastLine(), errors);
    }

    /** Returns the last line that it wrote to standard error; empty where it wrote none. */
    private String lastLine() {
        try (SeekableByteChannel written = Files.newByteChannel(errors)) {
            written.position(Math.max(errorsBefore, written.size() - MOST_ERROR_BYTES));
            byte[] end = Channels.newInputStream(written).readNBytes(MOST_ERROR_BYTES);
            return Arrays.stream(new String(end, StandardCharsets.UTF_8).split("\\R"))
                    .filter(line -> !line.isBlank())
                    .reduce("", (before, line) -> line.trim());
        } catch (IOException e) {
            // The exit code has to do.
            return "";
        }
    }

    /** Refuses an answer. */
    SearchException wrong(String what) {
        return new SearchException("'" + command + "': " + what + MEND, "the program: " + what);
    }

    /**
     * Closes its standard input and ends it where that does not, at last as kill -9 does. What it started is ended with
     * it, also where it ended before of itself, for that may hold what its successor needs.
     */
    @Override
    public void close() {
        boolean endedBefore = !process.isAlive();
        try {
            in.close();
        } catch (IOException e) {
            // It has ended.
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (endedBefore) {
                endLeft();
            } else if (!process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
                end(ProcessHandle::destroy);
                if (!process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
                    end(ProcessHandle::destroyForcibly);
                    process.waitFor();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
            end(ProcessHandle::destroyForcibly);
        }
        reader.interrupt();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void endLeft() throws InterruptedException {
        started.removeIf(one -> !one.isAlive());
        started.forEach(ProcessHandle::destroy);
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_S);
        while (started.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < endNs) {
            Thread.sleep(LOOK_MS);
        }
        started.forEach(ProcessHandle::destroyForcibly);
    }

    /** Ends what the shell started, too. */
    private void end(Consumer<ProcessHandle> how) {
        List<ProcessHandle> all = process.descendants().collect(Collectors.toList());
        all.add(process.toHandle());
        all.forEach(how);
    }

    /** It ended, and does not answer what it was asked. */
    static final class EndedException extends SearchException {
        private static final long serialVersionUID = 1;

        private final String what;

        /** @param lastLine of its errors; empty where it wrote none */
        private EndedException(String command, String how, String lastLine, Path errors) {
            super(
                    "'" + command + "': it " + what(how, lastLine)
                            + (lastLine.isEmpty() ? "; it wrote no error" : ", all are in " + errors) + MEND,
                    "the program " + what(how, lastLine));
            what = what(how, lastLine);
        }

        private static String what(String how, String lastLine) {
            return how + (lastLine.isEmpty() ? "" : "; its last line: " + JsonLines.shown(lastLine));
        }

        /** Returns what it did, a clause whose subject is the program. */
        String what() {
            return what;
        }
    }
}
