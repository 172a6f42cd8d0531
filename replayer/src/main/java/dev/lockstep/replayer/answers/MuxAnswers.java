package dev.lockstep.replayer.answers;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.MuxAnswerFramer;
import dev.lockstep.protocol.MuxFrame;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import dev.lockstep.replayer.rewriting.Deadlines;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Talks mux to a ThriftMux server: replays the requests, but not the bytes. Runs per request on the event loop.
 *
 * <p>The handshake and the answers to pings and drains depend on what the server says. This reader therefore leads the
 * conversation: of the recorded bytes it sends the dispatches, in their recorded fragments and with their recorded
 * tags, and leaves the control frames out. A tag that is taken is replaced by another one. Answers are matched by tag,
 * in any order.
 */
final class MuxAnswers implements AnswerReader {
    private enum Stage {
        /** Asked whether the target knows the handshake. */
        ASKING,
        /** Sent the handshake. */
        GREETING,
        OPEN
    }

    /** A tag is taken, but the fragments that end its request are still to come. */
    private static final long UNFINISHED = -1;

    /** Where tags begin that replace others: above those that clients use, which count from 2. */
    private static final int FIRST_SPARE_TAG = 1 << 16;

    /** How much is said to a target that does not take it, before no more of that target is read. */
    private static final int MOST_SAID_IN_VAIN = 16 << 10;

    private static final long LONGEST_GREETING_NS = TimeUnit.SECONDS.toNanos(20);

    private final TargetAnswers answers;
    private final RequestSource source;
    private final LoadMeter meter;
    /** Null where deadlines are sent as recorded. */
    private final Deadlines deadlines;

    private final AnsweredConnection connection;
    private final MuxAnswerFramer framer = new MuxAnswerFramer();
    /** The requests' sequence numbers by the tags that they were sent with. */
    private final TagTable awaited = new TagTable();
    /** Tags of requests that were sent in part only, by their recorded tags. */
    private final TagTable unfinished = new TagTable();

    private Stage stage = Stage.ASKING;
    /** Counts the channels, so that a timer knows whether it is about the present one. */
    private long session;

    private int spareTag = FIRST_SPARE_TAG;
    /** Bytes said beside the requests since the socket last kept up. */
    private int saidInVain;

    private boolean leased;
    private long leaseEndNs;
    /** When the lease is looked at; in the past where nothing is to look. */
    private long leaseCheckNs;

    MuxAnswers(TargetAnswers answers, AnsweredConnection connection) {
        this.answers = answers;
        source = answers.source;
        meter = answers.meter;
        deadlines = answers.deadlines;
        this.connection = connection;
    }

    @Override
    public boolean opened() {
        framer.reset();
        awaited.clear();
        unfinished.clear();
        leased = false;
        // The check of the last channel's lease will look at no other's.
        leaseCheckNs = System.nanoTime();
        stage = Stage.ASKING;
        long opened = ++session;
        say(MuxFrame::writeCanInit);
        long timeoutNs = Math.min(answers.timeoutNs, LONGEST_GREETING_NS);
        answers.after(timeoutNs, () -> {
            if (session == opened && stage != Stage.OPEN && connection.isUp()) {
                refuse("did not answer it within " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
            }
        });
        return false;
    }

    private void say(Consumer<ByteBuf> message) {
        Channel channel = connection.channel();
        ByteBuf out = channel.alloc().buffer();
        message.accept(out);
        int bytes = out.readableBytes();
        channel.write(out, channel.voidPromise());
        connection.flushBehind();
        // Answers to a target that pings and does not read would pile up in our memory. A target busy with a long
        // request may ping meanwhile; its answers to others are still read.
        saidInVain = connection.isUp() && !connection.isWritable() ? saidInVain + bytes : 0;
        if (saidInVain > MOST_SAID_IN_VAIN) {
            connection.readOnlyWhileWritable();
        }
    }

    private void refuse(String what) {
        answers.notes.add("the target was sent the handshake of ThriftMux and " + what
                + "; replay to a ThriftMux server, without TLS inside of mux");
        connection.close(ErrorKind.HANDSHAKE_FAILED);
    }

    // ---- requests -------------------------------------------------------------------------------------------------

    @Override
    public boolean writesRequests() {
        return true;
    }

    @Override
    public boolean sending(long sequence, long n, long intendedNs) {
        connection.sendingByMeaning(n);
        if (connection.recorded() == AnsweredConnection.POOLED) {
            // In a pool the rest of a dispatch in fragments comes on another connection, or never.
            forgetUnfinished();
        }
        Channel channel = connection.channel();
        ByteBuf out = source.copy(channel, n);
        boolean answered = false;
        int to = out.writerIndex();
        int kept = 0;
        int end;
        if (deadlines != null) {
            deadlines.beginFrames();
        }
        for (int frame = 0; to - frame >= MuxFrame.HEADER_BYTES; frame = end) {
            end = MuxFrame.end(out, frame, to);
            if (!MuxFrame.isRequest(out, frame)) {
                continue;
            }
            int recorded = MuxFrame.tag(out, frame);
            boolean begins = unfinished.get(recorded) == TagTable.NONE;
            int tag = tag(recorded);
            if (MuxFrame.isFragment(out, frame)) {
                unfinished.put(recorded, tag);
                awaited.put(tag, UNFINISHED);
            } else {
                unfinished.remove(recorded);
                if (tag != MuxFrame.NO_TAG) {
                    awaited.put(tag, sequence);
                    answered = true;
                }
            }
            MuxFrame.tag(out, frame, tag);
            if (kept < frame) {
                out.setBytes(kept, out, frame, end - frame);
            }
            int keptEnd = kept + end - frame;
            if (deadlines != null && deadlines.moveIn(out, kept, keptEnd, begins, intendedNs)) {
                meter.counts().deadlinesMoved++;
            }
            kept = keptEnd;
        }
        out.writerIndex(kept);
        meter.counts().bytesSent += kept;
        channel.write(out, channel.voidPromise());
        return answered;
    }

    /** Returns the tag to send a dispatch with. */
    private int tag(int recorded) {
        long begun = unfinished.get(recorded);
        if (begun != TagTable.NONE) {
            return (int) begun;
        }
        if (recorded == MuxFrame.NO_TAG || !awaited.contains(recorded)) {
            return recorded;
        }
        meter.counts().tagsChanged++;
        do {
            spareTag = spareTag == MuxFrame.MAX_TAG ? MuxFrame.MIN_TAG : spareTag + 1;
        } while (awaited.contains(spareTag));
        return spareTag;
    }

    private void forgetUnfinished() {
        if (unfinished.size() > 0) {
            unfinished.forEach((recorded, tag) -> awaited.remove((int) tag));
            unfinished.clear();
        }
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedNs) {
        return false;
    }

    // ---- what the target says -------------------------------------------------------------------------------------

    @Override
    public void read(ByteBuf in) {
        while (true) {
            switch (framer.feed(in)) {
                case MuxAnswerFramer.MORE:
                    return;
                case MuxAnswerFramer.MESSAGE:
                    if (!(stage == Stage.OPEN ? message() : greeting())) {
                        return;
                    }
                    break;
                default:
                    if (stage == Stage.OPEN) {
                        connection.close(ErrorKind.MALFORMED_RESPONSE);
                    } else {
                        refuse("answered no mux: " + framer.problem());
                    }
                    return;
            }
        }
    }

    /** Takes a message before the first request; returns whether the connection goes on. */
    private boolean greeting() {
        switch (framer.kind()) {
            case PING:
                pong();
                return connection.isUp();
            case INIT:
                if (stage != Stage.GREETING) {
                    break;
                }
                String problem = problemWithInit();
                if (problem != null) {
                    refuse(problem);
                    return false;
                }
                return begin();
            case ERROR:
                if (stage == Stage.GREETING) {
                    refuse("refused it: " + firstLine(framer.text()));
                    return false;
                }
                if (!framer.text().equals(MuxFrame.CAN_INIT)) {
                    // A server of before there was a handshake: it serves without, as it does its other clients.
                    return begin();
                }
                stage = Stage.GREETING;
                say(MuxFrame::writeInit);
                return true;
            case LEASE:
                lease();
                return true;
            case OTHER:
                return true;
            default:
                break;
        }
        refuse("sent something else first");
        return false;
    }

    private String problemWithInit() {
        if (framer.initVersion() != 1) {
            return "answered with its version " + framer.initVersion() + ", not 1";
        }
        if ("required".equals(framer.initHeader("tls"))) {
            return "wants to go on with TLS";
        }
        String compressed = framer.initHeader("compress");
        return compressed == null || compressed.equals(";") ? null : "wants to go on with compression";
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.length() > 100 ? line.substring(0, 100) + "..." : line;
    }

    private boolean begin() {
        stage = Stage.OPEN;
        connection.ready();
        return connection.isUp();
    }

    /** Takes a message; returns whether the connection goes on. */
    private boolean message() {
        switch (framer.kind()) {
            case ANSWER:
                return answer();
            case ERROR:
            case DISCARDED:
                long sequence = take();
                return sequence == TagTable.NONE
                        ? stray()
                        : connection.answeredWith(ErrorKind.MUX_ERROR, sequence, true);
            case PING:
                pong();
                return connection.isUp();
            case DRAIN:
                say(out -> MuxFrame.writeDrained(out, framer.tag()));
                connection.drain();
                return connection.isUp();
            case LEASE:
                lease();
                return connection.isUp();
            default:
                return true;
        }
    }

    private boolean answer() {
        long sequence = take();
        if (sequence == TagTable.NONE) {
            return stray();
        }
        switch (framer.status()) {
            case OK:
                return framer.isThriftException()
                        ? connection.answeredWith(ErrorKind.THRIFT_EXCEPTION, sequence, true)
                        : connection.completed(sequence, 0, framer.payloadBytes(), true);
            case NACK:
                return connection.answeredWith(ErrorKind.MUX_NACK, sequence, true);
            default:
                return connection.answeredWith(ErrorKind.MUX_ERROR, sequence, true);
        }
    }

    /** Takes the message's tag out of those that are awaited, and returns its request's sequence number. */
    private long take() {
        long sequence = awaited.get(framer.tag());
        if (sequence == TagTable.NONE || !connection.isAwaited(sequence)) {
            return TagTable.NONE;
        }
        awaited.remove(framer.tag());
        return sequence;
    }

    /** An answer to no request: no later answer could be matched. */
    private boolean stray() {
        if (connection.inFlight() == 0) {
            meter.excessBytes();
            connection.close(ErrorKind.EXCESS_RESPONSE);
        } else {
            connection.close(ErrorKind.MISMATCHED_RESPONSE);
        }
        return false;
    }

    private void pong() {
        say(out -> MuxFrame.writePong(out, framer.tag()));
    }

    /** A connection whose lease ends takes no more requests, as after a drain. */
    private void lease() {
        long ms = framer.leaseMs();
        leased = ms <= TimeUnit.DAYS.toMillis(1);
        if (!leased) {
            return;
        }
        long nowNs = System.nanoTime();
        leaseEndNs = nowNs + TimeUnit.MILLISECONDS.toNanos(ms);
        if (ms == 0 && stage == Stage.OPEN) {
            connection.drain();
        } else if (leaseCheckNs - nowNs <= 0 || leaseCheckNs - leaseEndNs > 0) {
            checkLease(leaseEndNs - nowNs);
        }
    }

    private void checkLease(long afterNs) {
        long checked = session;
        leaseCheckNs = System.nanoTime() + afterNs;
        answers.after(afterNs, () -> {
            if (session != checked || !leased || !connection.isUp()) {
                return;
            }
            long leftNs = leaseEndNs - System.nanoTime();
            if (leftNs > 0) {
                checkLease(leftNs);
            } else if (stage == Stage.OPEN) {
                connection.drain();
            }
        });
    }

    @Override
    public void ended() {
        if (stage != Stage.OPEN) {
            refuse("closed the connection");
        }
    }
}
