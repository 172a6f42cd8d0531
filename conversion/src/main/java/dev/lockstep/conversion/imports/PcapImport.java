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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Records the TCP connections in packet files, pcap and pcapng, as if they happened now; docs/packets.md has the rules.
 * Used by one thread, in constant memory.
 *
 * <p>Several files, as tcpdump makes with {@code -C} or {@code -G}, are read as one, in the order of their first
 * packets: connections go on from one file to the next.
 */
final class PcapImport {
    private final ImportConfig config;
    private final ImportSink sink;
    /** The unpacked bytes of the only file, or null where there are several. */
    private final InputStream opened;

    private final Findings skipped = new Findings();
    private final Findings changed = new Findings();
    private final TcpReassembler reassembler;
    private long cutPackets;
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
        return new PacketConnection(
                alreadyOpen ? sink.openedBefore(timeNs, client, server) : sink.open(timeNs, client, server));
    }

    private void read() {
        List<Path> files = inOrder();
        for (Path path : files) {
            if (stopped) {
                break;
            }
            try (PacketFile file = opened == null ? PacketFile.open(path) : PacketFile.open(path, opened)) {
                read(file, path.getFileName().toString());
            } catch (PacketException e) {
                throw unreadable(path, e);
            }
        }
        reassembler.end();
    }

    private List<Path> inOrder() {
        if (config.inputs().size() == 1) {
            return config.inputs();
        }
        Map<Path, Long> firstNs = new HashMap<>();
        for (Path path : config.inputs()) {
            try (PacketFile file = PacketFile.open(path)) {
                firstNs.put(path, file.next() ? file.timeNs() : Long.MAX_VALUE);
            } catch (PacketException e) {
                throw unreadable(path, e);
            }
        }
        List<Path> ordered = new ArrayList<>(config.inputs());
        ordered.sort(Comparator.comparing(firstNs::get));
        return ordered;
    }

    private static ConversionException unreadable(Path path, PacketException e) {
        return new ConversionException(path, e.problem(), e);
    }

    private void read(PacketFile file, String place) {
        while (file.next()) {
            if (sink.hasEnded()) {
                stopped = true;
                return;
            }
            LinkLayer link = file.linkLayer();
            if (link == null) {
                skipped.add(
                        "packets of link type " + file.linkType() + ", which is not supported",
                        config.inputs().size() == 1 ? null : place);
                continue;
            }
            if (file.originalLength() > file.to() - file.from()) {
                cutPackets++;
            }
            sink.happened(file.timeNs());
            reassembler.packet(file.timeNs(), link, file.bytes(), file.from(), file.to(), file.originalLength());
        }
        if (file.damage() != null) {
            changed.add(file.damage() + "; imported as far as it can be read", place);
        }
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
