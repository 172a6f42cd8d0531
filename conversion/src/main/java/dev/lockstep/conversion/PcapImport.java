package dev.lockstep.conversion;

import dev.lockstep.packets.LinkLayer;
import dev.lockstep.packets.PacketException;
import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import dev.lockstep.packets.TcpTotals;
import dev.lockstep.recorder.PacketConnection;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Records the TCP connections in packet files, pcap and pcapng, as if they happened now; docs/packets.md has the rules.
 * Used by one thread, in constant memory.
 *
 * <p>Several files, as tcpdump makes with {@code -C} or {@code -G}, are read as one, in the order of their first packets:
 * connections go on from one to the next.
 */
final class PcapImport {
    private final ImportConfig config;
    private final ImportSink sink;
    private final ImportReport.Findings skipped = new ImportReport.Findings();
    private final ImportReport.Findings changed = new ImportReport.Findings();
    private final TcpReassembler reassembler;
    private long cutPackets;
    private long otherConnections;
    private boolean stopped;

    private PcapImport(ImportConfig config, ImportSink sink) {
        this.config = config;
        this.sink = sink;
        int[] ports = config.ports().stream().mapToInt(Integer::intValue).toArray();
        this.reassembler =
                new TcpReassembler(TcpOptions.builder().serverPorts(ports).build(), this::opened);
    }

    /** Imports the files of a configuration. */
    static ImportReport run(ImportConfig config) {
        ImportSink sink = new ImportSink(config, ImportFormat.PCAP);
        PcapImport all = new PcapImport(config, sink);
        try (sink) {
            all.read();
            sink.complete();
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
            String place = files.size() == 1 ? null : path.getFileName().toString();
            try (PacketFile file = PacketFile.open(path)) {
                read(file, place);
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
        List<TimedFile> timed = new ArrayList<>();
        for (Path path : config.inputs()) {
            try (PacketFile file = PacketFile.open(path)) {
                timed.add(new TimedFile(path, file.next() ? file.timeNs() : Long.MAX_VALUE));
            } catch (PacketException e) {
                throw unreadable(path, e);
            }
        }
        timed.sort(Comparator.comparingLong(file -> file.firstNs));
        List<Path> ordered = new ArrayList<>();
        timed.forEach(file -> ordered.add(file.path));
        return ordered;
    }

    private static ConversionException unreadable(Path path, PacketException e) {
        return new ConversionException(path, e.problem(), e);
    }

    private void read(PacketFile file, String place) {
        while (file.next()) {
            if (sink.hasFailed()) {
                stopped = true;
                return;
            }
            LinkLayer link = file.linkLayer();
            if (link == null) {
                skipped.add("packets of link type " + file.linkType() + ", which is not supported", place);
                continue;
            }
            if (file.originalLength() > file.to() - file.from()) {
                cutPackets++;
            }
            sink.happened(file.timeNs());
            reassembler.packet(file.timeNs(), link, file.bytes(), file.from(), file.to(), file.originalLength());
        }
        if (file.damage() != null) {
            changed.add("the file is imported as far as it can be read: " + file.damage(), place);
        }
    }

    private ImportReport report() {
        TcpTotals totals = reassembler.totals();
        add(skipped, "packets without IP", totals.notIpPackets());
        add(skipped, "IP packets without TCP", totals.notTcpPackets());
        add(skipped, "packets with headers that are malformed or cut off", totals.unreadablePackets());
        add(skipped, "IP fragments whose other parts are missing", totals.lostFragments());
        add(skipped, "handshakes without a connection", totals.unopenedConnections());
        add(skipped, "connections to other ports", otherConnections);
        add(skipped, "bytes after the end of their connection", totals.strayBytes());
        add(changed, "packets cut off by the snap length of their capture", cutPackets);
        add(changed, "bytes of clients that are missing in the packets", totals.clientMissingBytes());
        add(changed, "bytes of servers that are missing in the packets", totals.serverMissingBytes());
        if (sink.status() == null) {
            StringBuilder problem = new StringBuilder("no TCP connection in " + totals.packets() + " packets");
            for (ImportReport.Finding finding : skipped.list()) {
                problem.append(", ").append(finding.count()).append(' ').append(finding.reason());
            }
            throw new ConversionException(config.inputs().get(0), problem.toString());
        }
        return new ImportReport(
                ImportFormat.PCAP,
                sink.status(),
                skipped,
                changed,
                sink.startNs(),
                sink.lastNs() - sink.startNs(),
                stopped);
    }

    private static void add(ImportReport.Findings findings, String reason, long count) {
        if (count != 0) {
            findings.add(reason, null, count);
        }
    }

    private static final class TimedFile {
        final Path path;
        final long firstNs;

        TimedFile(Path path, long firstNs) {
            this.path = path;
            this.firstNs = firstNs;
        }
    }
}
