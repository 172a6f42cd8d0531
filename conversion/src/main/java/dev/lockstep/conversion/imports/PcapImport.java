package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.Findings;
import dev.lockstep.packets.LinkLayer;
import dev.lockstep.packets.PacketException;
import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import dev.lockstep.packets.TcpTotals;
import dev.lockstep.tap.PacketConnection;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Records the TCP connections in packet files, pcap and pcapng, as if they happened now; docs/packets.md has the rules.
 * Used by one thread, in constant memory.
 *
 * <p>Several files, as tcpdump makes with {@code -C} or {@code -G}, are read as one: connections go on from one file to
 * the next. Files that overlap, as of several interfaces, are mixed by the times of their packets.
 */
final class PcapImport {
    /** Packets of several queues are mixed up by less; by more, the clock was set back. */
    private static final long SET_BACK_NS = 1_000_000_000L;

    private final ImportConfig config;
    private final ImportSink sink;
    /** The unpacked bytes of the only file, or null where there are several. */
    private final InputStream opened;

    private final Findings skipped = new Findings();
    private final Findings changed = new Findings();
    private final TcpReassembler reassembler;
    private long cutPackets;
    private long latestNs = Long.MIN_VALUE + SET_BACK_NS;
    private long setBackPackets;
    private long otherConnections;
    private boolean stopped;

    private PcapImport(ImportConfig config, ImportSink sink, InputStream opened) {
        this.config = config;
        this.sink = sink;
        this.opened = opened;
        int[] ports = config.ports().stream().mapToInt(Integer::intValue).toArray();
        this.reassembler =
                new TcpReassembler(TcpOptions.builder().serverPorts(ports).build(), this::opened);
    }

    /** @param opened the unpacked bytes of the only file, or null where there are several */
    static ImportReport run(ImportConfig config, InputStream opened) {
        ImportSink sink = new ImportSink(config, ImportFormat.PCAP);
        PcapImport all = new PcapImport(config, sink, opened);
        try (sink) {
            all.read();
            sink.complete(all.stopped);
        }
        return all.report();
    }

    private StreamHandler opened(long timeNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen) {
        if (!config.ports().isEmpty() && !config.ports().contains(server.getPort())) {
            otherConnections++;
            return null;
        }
        return new PacketConnection(sink.open(timeNs, client, server, alreadyOpen));
    }

    /** A file with its next packet. */
    private static final class Source implements AutoCloseable {
        private final Path path;
        private final PacketFile file;

        Source(Path path, PacketFile file) {
            this.path = path;
            this.file = file;
        }

        /** Goes to the next packet; false where there is none. */
        boolean next() {
            try {
                return file.next();
            } catch (PacketException e) {
                throw unreadable(path, e);
            }
        }

        @Override
        public void close() {
            file.close();
        }
    }

    private Source source(Path path) {
        try {
            return new Source(path, opened == null ? PacketFile.open(path) : PacketFile.open(path, opened));
        } catch (PacketException e) {
            throw unreadable(path, e);
        }
    }

    /** Reads all packets in the order of their times, as far as each file has them in that order. */
    private void read() {
        Map<Path, Long> firstNs = new HashMap<>();
        Deque<Path> waiting = inOrder(firstNs);
        PriorityQueue<Source> open = new PriorityQueue<>(Comparator.comparingLong(source -> source.file.timeNs()));
        try {
            while (!stopped && !(open.isEmpty() && waiting.isEmpty())) {
                boolean begins = !waiting.isEmpty()
                        && (open.isEmpty()
                                || firstNs.get(waiting.peek())
                                        <= open.peek().file.timeNs());
                Source source = begins ? source(waiting.remove()) : open.remove();
                boolean goesOn = false;
                try {
                    if (!begins) {
                        packet(source);
                    }
                    goesOn = !stopped && source.next();
                } finally {
                    if (!goesOn) {
                        source.close();
                    }
                }
                if (goesOn) {
                    open.add(source);
                } else {
                    noteDamage(source);
                }
            }
        } finally {
            open.forEach(Source::close);
        }
        reassembler.end();
    }

    private void noteDamage(Source source) {
        if (!stopped && source.file.damage() != null) {
            changed.add(
                    source.file.damage() + "; imported as far as it can be read",
                    source.path.getFileName().toString());
        }
    }

    /** @param firstNs gets the time of each one's first packet, where there are several */
    private Deque<Path> inOrder(Map<Path, Long> firstNs) {
        if (config.inputs().size() == 1) {
            return new ArrayDeque<>(config.inputs());
        }
        for (Path path : config.inputs()) {
            try (PacketFile file = PacketFile.open(path)) {
                firstNs.put(path, file.next() ? file.timeNs() : Long.MAX_VALUE);
            } catch (PacketException e) {
                throw unreadable(path, e);
            }
        }
        List<Path> ordered = new ArrayList<>(config.inputs());
        ordered.sort(Comparator.comparing(firstNs::get));
        return new ArrayDeque<>(ordered);
    }

    private static ConversionException unreadable(Path path, PacketException e) {
        return new ConversionException(path, e.problem(), e);
    }

    private void packet(Source source) {
        PacketFile file = source.file;
        if (sink.hasEnded()) {
            stopped = true;
            return;
        }
        LinkLayer link = file.linkLayer();
        if (link == null) {
            skipped.add(
                    "packets of link type " + file.linkType() + ", which is not supported",
                    config.inputs().size() == 1
                            ? null
                            : source.path.getFileName().toString());
            return;
        }
        if (file.originalLength() > file.to() - file.from()) {
            cutPackets++;
        }
        if (file.timeNs() < latestNs - SET_BACK_NS) {
            setBackPackets++;
        }
        latestNs = Math.max(latestNs, file.timeNs());
        sink.happened(file.timeNs());
        reassembler.packet(file.timeNs(), link, file.bytes(), file.from(), file.to(), file.originalLength());
    }

    private ImportReport report() {
        TcpTotals totals = reassembler.totals();
        skipped.add("packets without IP", null, totals.notIpPackets());
        skipped.add("IP packets without TCP", null, totals.notTcpPackets());
        skipped.add("packets with headers that are malformed or cut off", null, totals.unreadablePackets());
        skipped.add("IP fragments whose other parts are missing", null, totals.lostFragments());
        skipped.add("handshakes without a connection", null, totals.unopenedConnections());
        skipped.add("connections to other ports", null, otherConnections);
        skipped.add("bytes after the end of their connection", null, totals.strayBytes());
        changed.add("packets cut off by the snap length of their capture", null, cutPackets);
        changed.add(
                "packets more than 1 s before earlier ones, as where a clock was set back: counted at the time of those",
                null,
                setBackPackets);
        changed.add("bytes of clients that are missing in the packets", null, totals.clientMissingBytes());
        changed.add("bytes of servers that are missing in the packets", null, totals.serverMissingBytes());
        if (sink.status() == null && stopped) {
            throw new ConversionException(config.inputs().get(0), ImportSink.STOPPED_AT_ONCE);
        }
        if (sink.status() == null) {
            throw new ConversionException(
                    config.inputs().get(0),
                    "no TCP connection in " + totals.packets() + " packets" + Findings.because(changed, skipped));
        }
        return ImmutableImportReport.of(
                ImportFormat.PCAP, sink.status(), skipped.list(), changed.list(), sink.durationNs(), stopped);
    }
}
