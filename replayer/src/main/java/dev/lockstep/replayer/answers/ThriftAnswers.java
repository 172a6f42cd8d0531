package dev.lockstep.replayer.answers;

import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.protocol.ThriftAnswerFramer;
import dev.lockstep.protocol.ThriftCallHead;
import dev.lockstep.replayer.comparison.AnswerDigest;
import dev.lockstep.replayer.meters.LoadMeter;
import dev.lockstep.replayer.requests.RequestSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Reads the answers of a Thrift server that answers in order, in any of its forms. Runs per request on the event loop.
 *
 * <p>Answers are matched first-in first-out; name and sequence id are a check, since in most real traffic every
 * sequence id is 0. An answer that does not fit closes the connection, since no later answer could be matched. Calls
 * that get no answer are not awaited.
 *
 * <p>TTwitter: whether a connection is upgraded is the server's answer to a probe, and all that follows depends on it.
 * A target that answers the recorded probe in another way than the recorded server is refused before anything else is
 * sent. Where the connection's first request is not the recorded probe, in a pool or when a connection is opened again,
 * a probe of our own goes first.
 */
final class ThriftAnswers implements AnswerReader {
    /** What is kept of each awaited answer: the request's sequence number, name, method, and id and flag. */
    private static final int FIELDS = 4;

    private static final long PROBE = 1L << 32;

    /** Finagle's, with empty connection options. */
    private static final byte[] UPGRADE_PROBE = upgradeProbe();

    private final TargetAnswers answers;
    private final RequestSource source;
    private final LoadMeter meter;
    private final AnsweredConnection connection;
    private final Protocol protocol;
    private final LongQueue awaited = new LongQueue(FIELDS);
    private ThriftAnswerFramer framer;
    /** Digests the answer that is framed, where answers are compared; null before. */
    private AnswerDigest digest;
    /** Whether that answer is one to be digested. */
    private boolean digesting;

    private boolean framing;
    /** Whether a probe of our own awaits its answer. */
    private boolean greeting;
    /** Whether a request was sent, on this channel or an earlier one. */
    private boolean begun;
    /** Whether the target answered a probe in another way than the recorded server. */
    private boolean refused;

    ThriftAnswers(TargetAnswers answers, AnsweredConnection connection, Protocol protocol) {
        this.answers = answers;
        source = answers.source;
        meter = answers.meter;
        this.connection = connection;
        this.protocol = protocol;
    }

    @Override
    public boolean opened() {
        framer = new ThriftAnswerFramer();
        awaited.clear();
        framing = false;
        digesting = false;
        greeting = false;
        if (refused) {
            connection.close(ErrorKind.HANDSHAKE_FAILED);
            return false;
        }
        if (protocol == Protocol.THRIFT_TTWITTER && (begun || !beginsWithProbe())) {
            greeting = true;
            connection.channel().writeAndFlush(Unpooled.wrappedBuffer(UPGRADE_PROBE));
            return false;
        }
        return true;
    }

    private boolean beginsWithProbe() {
        return connection.recorded() != AnsweredConnection.POOLED && source.beginsWithProbe(connection.recorded());
    }

    @Override
    public boolean sending(long sequence, long n, long intendedNs) {
        begun = true;
        ThriftCallHead call = source.thriftCall(n, protocol);
        // Some clients send calls that get no answer as if they did; the recorded server's answers told.
        if (!source.getsAnswer(n, call)) {
            return false;
        }
        awaited.add(sequence);
        awaited.add(call.nameHash());
        awaited.add(call.methodHash());
        boolean probe = call.isUpgradeProbe() && source.isFirstOfItsConnection(n);
        awaited.add(call.sequenceId() & 0xffffffffL | (probe ? PROBE : 0));
        return true;
    }

    @Override
    public boolean sendingOpaque(long piece, long intendedNs) {
        return true;
    }

    @Override
    public void read(ByteBuf in) {
        while (in.isReadable()) {
            if (!greeting && (awaited.isEmpty() || !connection.isAwaited(awaited.get(0)))) {
                meter.excessBytes();
                connection.close(ErrorKind.EXCESS_RESPONSE);
                return;
            }
            if (!framing && !greeting) {
                framing = true;
                if (answers.log() != null || digest != null) {
                    compare();
                }
            }
            int from = in.readerIndex();
            int found = framer.feed(in);
            if (digesting) {
                // Whole, as name and sequence id are those of the call, which all targets get.
                digest.body(in, from, in.readerIndex());
            }
            switch (found) {
                case ThriftAnswerFramer.MORE:
                    return;
                case ThriftAnswerFramer.COMPLETE:
                    if (greeting) {
                        greeted();
                        return;
                    }
                    if (!complete(in.isReadable())) {
                        return;
                    }
                    break;
                default:
                    connection.close(greeting ? ErrorKind.HANDSHAKE_FAILED : ErrorKind.MALFORMED_RESPONSE);
                    return;
            }
        }
    }

    /** Has the answer that begins digested, where it is among those to be compared. */
    private void compare() {
        if (digest == null) {
            digest = new AnswerDigest();
        }
        digesting = digest.begin(answers.log(), connection.number(awaited.get(0)));
    }

    /** The target answered our own probe. */
    private void greeted() {
        greeting = false;
        if (framer.isException()) {
            refuse();
        } else {
            framer.upgradeToTwitter();
            connection.ready();
        }
    }

    /** Matches the answer that was read; returns whether the connection goes on. */
    private boolean complete(boolean moreFollows) {
        int sequenceId = (int) awaited.get(3);
        if (!framer.answers(awaited.get(1), awaited.get(2), sequenceId)) {
            connection.close(ErrorKind.MISMATCHED_RESPONSE);
            return false;
        }
        boolean probe = (awaited.get(3) & PROBE) != 0;
        boolean upgraded = protocol == Protocol.THRIFT_TTWITTER;
        if (probe && framer.isException() == upgraded) {
            refuse();
            return false;
        }
        if (moreFollows && awaited.size() == FIELDS) {
            // Before the next request goes out, whose answer these bytes would be taken for.
            connection.close(ErrorKind.EXCESS_RESPONSE);
            return false;
        }
        if (probe && upgraded) {
            framer.upgradeToTwitter();
        }
        long sequence = awaited.remove();
        awaited.remove();
        awaited.remove();
        awaited.remove();
        framing = false;
        if (digesting) {
            digest.end(connection.number(sequence));
        }
        // That the target knows no upgrade either is what was recorded, and no failure.
        if (framer.isException() && !probe) {
            if (source.wasException(connection.number(sequence))) {
                meter.counts().exceptionsAsRecorded++;
                return connection.completed(sequence, 0, framer.bytes(), true);
            }
            meter.thriftException(framer.exceptionType());
            return connection.answeredWith(ErrorKind.THRIFT_EXCEPTION, sequence, true);
        }
        return connection.completed(sequence, 0, framer.bytes(), true);
    }

    private void refuse() {
        refused = true;
        answers.notes.add(
                protocol == Protocol.THRIFT_TTWITTER
                        ? "it refused the upgrade to TTwitter (" + ThriftCallHead.UPGRADE_PROBE_NAME
                                + ") that the recorded server granted: nothing else was sent on such a connection"
                        : "it granted the upgrade to TTwitter (" + ThriftCallHead.UPGRADE_PROBE_NAME
                                + ") that the recorded server refused: nothing else was sent on such a connection");
        connection.close(ErrorKind.HANDSHAKE_FAILED);
    }

    @Override
    public void ended() {
        // An answer ends with its bytes, never with the connection.
    }

    private static byte[] upgradeProbe() {
        byte[] name = ThriftCallHead.UPGRADE_PROBE_NAME.getBytes(StandardCharsets.US_ASCII);
        ByteBuf probe = Unpooled.buffer();
        probe.writeInt(4 + 4 + name.length + 4 + 1);
        probe.writeInt(0x80010001);
        probe.writeInt(name.length);
        probe.writeBytes(name);
        probe.writeInt(0);
        probe.writeByte(0);
        return ByteBufUtil.getBytes(probe);
    }
}
