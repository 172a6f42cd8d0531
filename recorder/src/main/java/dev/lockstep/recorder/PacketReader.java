package dev.lockstep.recorder;

import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.Joining;
import dev.lockstep.packets.LinkLayer;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import dev.lockstep.tap.PacketConnection;
import dev.lockstep.tap.TrafficRecorder;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The thread that reads a ring of packets and records the TCP streams in them. It owns and closes the ring; the writer
 * stays its user's.
 *
 * <p>Runs per packet: a packet that comes in order costs no call into the kernel, no allocation and no copy but the one
 * into the capture.
 */
final class PacketReader {
    /** How often the thread looks at other things than packets, at least. */
    private static final int WAIT_MS = 100;

    private static final long STATISTICS_NS = TimeUnit.MILLISECONDS.toNanos(WAIT_MS);

    /** How late the kernel's timer, which hands over blocks, may be on a busy machine. */
    private static final long LATE_TIMER_NS = TimeUnit.SECONDS.toNanos(1);

    /** How long packets that have arrived may take to be handed over at the end. */
    private static final long LAST_BLOCK_NS = TimeUnit.SECONDS.toNanos(10);

    /** Reading two clocks takes time; a larger difference is a change of the wall clock. */
    private static final long CLOCK_NOISE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private static final long MOST_CONNECTIONS = 1 << 20;
    /** What one costs, with all that is kept to frame and redact it. */
    private static final long CONNECTION_BYTES = 2 << 10;

    private final String interfaceName;
    private final PacketRing ring;
    private final CaptureWriter writer;
    private final TrafficRecorder recorder;
    private final Runnable beforeBlock;
    private final PacketCounters counters = new PacketCounters();
    final RecordingStatus status;
    private final TcpReassembler reassembler;
    /** How old a packet can be that waits in the block which the kernel is filling. */
    private final long oldestWaitingNs;

    private final Thread thread;

    private volatile boolean ending;

    // Used by the thread only.
    private long epochMinusMonotonicNs;
    private long arrivedPackets;
    private long readPackets;
    private long nextStatisticsNs;

    PacketReader(PassiveConfig config, PacketRing ring, CaptureWriter writer, Runnable beforeBlock) {
        this.interfaceName = config.interfaceName();
        this.ring = ring;
        this.writer = writer;
        this.beforeBlock = beforeBlock;
        this.oldestWaitingNs = LATE_TIMER_NS + 2 * config.blockTimeout().toNanos();
        recorder = new TrafficRecorder(writer, config.protocol(), config.redaction());
        this.status = new RecordingStatus(recorder, counters);
        TcpOptions options = TcpOptions.builder()
                .serverPorts(config.ports())
                // A pause of hours cuts no connection of a service in two.
                .idleTimeout(Duration.ofDays(1))
                .maxConnections(mostConnections(Runtime.getRuntime().maxMemory()))
                .build();
        this.reassembler = new TcpReassembler(options, (timeNs, client, server, alreadyOpen) -> {
            if (Arrays.stream(config.ports()).noneMatch(port -> port == server.getPort())) {
                return null; // a fragment: the filter cannot tell to which port it goes
            }
            return new PacketConnection(recorder.open(timeNs, client, server, alreadyOpen));
        });
        this.thread = new Thread(this::run, "lockstep-packet-reader");
        thread.setDaemon(true);
    }

    /**
     * How many connections are followed at a time: as many as half of the heap holds, since their end may be missed.
     */
    static int mostConnections(long heapBytes) {
        return (int) Math.max(1, Math.min(MOST_CONNECTIONS, heapBytes / 2 / CONNECTION_BYTES));
    }

    void start() {
        thread.start();
    }

    /** Reads what has arrived, ends the connections and the thread, and frees the ring. */
    void end() {
        ending = true;
        Joining.untilEnd(thread);
    }

    private void run() {
        try {
            epochMinusMonotonicNs = ring.epochMinusMonotonicNs();
            nextStatisticsNs = System.nanoTime();
            while (!ending) {
                readOrWait(WAIT_MS);
            }
            readArrived();
        } catch (RecorderException e) {
            counters.failure = e.getMessage();
        } catch (RuntimeException | Error e) {
            counters.failure =
                    "recording interface " + interfaceName + " ended early, by a defect of the recorder: " + e;
            throw e;
        } finally {
            reassembler.end();
            recorder.noteUnsearched();
            ring.close();
        }
    }

    /** Reads until every packet that has arrived by now is recorded; later ones may be among them. */
    private void readArrived() {
        readStatistics();
        long arrived = arrivedPackets;
        long deadlineNs = System.nanoTime() + LAST_BLOCK_NS;
        while (readPackets < arrived && System.nanoTime() - deadlineNs < 0) {
            readOrWait(1);
        }
        readStatistics();
    }

    private void readOrWait(int waitMs) {
        if (ring.nextBlock()) {
            beforeBlock.run();
            readBlock();
            ring.releaseBlock();
        } else {
            int error = ring.await(waitMs);
            if (error != 0) {
                noteInterfaceProblem(error);
            } else {
                // What came before may still wait in the block that the kernel fills.
                reassembler.advance(System.nanoTime() - oldestWaitingNs);
                if (counters.interfaceProblem != null) {
                    lookForInterface();
                }
            }
        }
        if (System.nanoTime() - nextStatisticsNs >= 0) {
            readStatistics();
        }
    }

    private void readBlock() {
        readClocks();
        PacketRing packets = ring;
        TcpReassembler streams = reassembler;
        ByteBuf buffer = packets.buffer();
        long aheadNs = epochMinusMonotonicNs;
        long nowNs = System.nanoTime();
        int count = 0;
        while (packets.nextPacket()) {
            int from = packets.from();
            int to = packets.to();
            long timeNs = timeNs(packets.epochNs(), aheadNs, nowNs);
            streams.packet(timeNs, LinkLayer.RAW, buffer, from, to, to - from + packets.cutBytes());
            count++;
        }
        readPackets += count;
        counters.packets.add(count);
    }

    /**
     * When a packet came, in monotonic time: not after now. Where the wall clock was set back behind it, it would come
     * as much later, and all that follows until then would have its time.
     */
    static long timeNs(long epochNs, long epochMinusMonotonicNs, long nowNs) {
        return Math.min(nowNs, epochNs - epochMinusMonotonicNs);
    }

    /** Follows the wall clock, which people and NTP may set. Packets carry its time; the capture has monotonic time. */
    private void readClocks() {
        long aheadNs = ring.epochMinusMonotonicNs();
        if (Math.abs(aheadNs - epochMinusMonotonicNs) > CLOCK_NOISE_NS) {
            epochMinusMonotonicNs = aheadNs;
        }
    }

    private void readStatistics() {
        long statistics = ring.takeStatistics();
        long packets = statistics >>> 32;
        long dropped = statistics & 0xffff_ffffL;
        arrivedPackets += packets - dropped;
        if (dropped != 0) {
            counters.kernelDrops.add(dropped);
            writer.missedPackets(dropped);
        }
        nextStatisticsNs = System.nanoTime() + STATISTICS_NS;
    }

    private void noteInterfaceProblem(int error) {
        counters.interfaceProblem = "interface " + interfaceName
                + (error == LibC.ENETDOWN ? " is down" : " reports: " + LibC.strerror(error))
                + "; recording goes on when it is up again";
    }

    /** To the kernel, an interface that comes back under its name is a new one. */
    private void lookForInterface() {
        if (!ring.isInterfaceThere() && !ring.bind()) {
            counters.interfaceProblem = "interface " + interfaceName + " is gone; recording goes on when it is back";
        } else if (ring.isInterfaceUp()) {
            counters.interfaceProblem = null;
        }
    }
}
