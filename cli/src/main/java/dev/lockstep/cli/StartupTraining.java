package dev.lockstep.cli;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.FileTree;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;

/**
 * Runs commands so that their classes are loaded, and ./replay can put them into the JVM's class data sharing archive.
 * Not for people.
 */
final class StartupTraining {
    private StartupTraining() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("lockstep-training");
        try {
            String capture = capture(folder.resolve("capture.bin")).toString();
            execute("--help");
            execute("record", "--help");
            execute("doctor");
            execute("inspect", capture);
            execute("verify", capture);
            execute("filter", capture, "-o", folder.resolve("filtered.bin") + "");
            execute("import", "--help");
            // Nothing answers at port 1, so this goes as far as it can without a target.
            execute("--targets", "a=127.0.0.1:1", "--ready-timeout", "1ms", "-o", folder.resolve("run") + "", capture);
            String finished = finishedRun(folder.resolve("finished")) + "";
            execute("report", finished);
            execute("compare", finished, finishedRun(folder.resolve("another")) + "");
        } finally {
            FileTree.remove(folder);
        }
    }

    /** Writes the directory of a run in which nothing was sent. */
    private static Path finishedRun(Path directory) {
        String digest = "0".repeat(64);
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("capture.bin")
                        .sha256(digest)
                        .streamSha256(digest)
                        .requests(1)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .build();
        LoadResult load = LoadResult.builder().build();
        RunResult result = RunResult.builder(plan)
                .startedAt(OffsetDateTime.now())
                .finishedAt(OffsetDateTime.now())
                .environment(Environment.ofThisMachine()
                        .lockstepVersion(Version.number())
                        .build())
                .target(TargetResult.builder("c2")
                        .launch(LaunchResult.builder(1, 1).load(load).build())
                        .load(load)
                        .build())
                .build();
        try (RunDirectoryWriter writer = RunDirectoryWriter.create(directory, false)) {
            writer.plan(plan);
            writer.result(result);
        }
        return directory;
    }

    private static void execute(String... command) {
        Main.commandLine(Interruption.detached())
                .setOut(new PrintWriter(Writer.nullWriter()))
                .setErr(new PrintWriter(Writer.nullWriter()))
                .execute(command);
    }

    private static Path capture(Path file) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        ByteBuffer request = ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        long nowNs = System.nanoTime();
        try (CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults())) {
            int connection = writer.openConnection(nowNs, address, address);
            writer.protocol(connection, nowNs, Protocol.HTTP1);
            writer.data(connection, nowNs, RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END, request);
            writer.closeConnection(connection, nowNs, CloseReason.CLIENT_FIN);
        }
        return file;
    }
}
