package dev.lockstep.cli.captures;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.Quantities;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code replay verify}: checks captures from their first byte to their last. */
@Command(
        name = "verify",
        header = "Checks captures from the first byte to the last.",
        description = "Checks captures from the first byte to the last: checksums, records, counts. Without "
                + "its key, an encrypted capture is checked except for its records.",
        footer = {"  replay verify capture.bin"},
        exitCodeList = {
            "0:All can be read to their ends.",
            "1:One is damaged, torn or not readable.",
            "2:Wrong command line."
        })
public final class VerifyCommand extends ToolCommand {
    @Parameters(arity = "1..*", paramLabel = "CAPTURE", description = "The capture files.")
    private List<Path> captures;

    @Mixin
    private CaptureKeyOptions key;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        EncryptionKey encryptionKey = key.key();
        boolean whole = true;
        for (Path capture : captures) {
            try {
                CaptureInfo info =
                        CaptureReader.verify(capture, OpenOptions.defaults().encryption(encryptionKey));
                out.println(Terminal.printable(capture.toString()) + ": " + state(info) + ", "
                        + checked(info, encryptionKey != null) + early(info));
                out.flush();
                whole &= info.cutBytes() == 0;
            } catch (CaptureException e) {
                whole = false;
                Terminal.error(err, e.getMessage());
            }
        }
        return whole ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String state(CaptureInfo info) {
        if (info.cutBytes() > 0) {
            return "torn, " + Quantities.bytes(info.cutBytes())
                    + " at its end are no whole block and are not read; not closed properly: what wrote it was killed,"
                    + " or is still at it";
        }
        if (info.endedEarly() != null) {
            return "readable to its end";
        }
        return info.closedProperly()
                ? "whole"
                : "whole as far as it goes, not closed properly (what wrote it was killed, or is still at it)";
    }

    /** Returns why there is less in a capture than there was to record, behind a semicolon, or nothing. */
    private static String early(CaptureInfo info) {
        if (info.endedEarly() == null) {
            return "";
        }
        return "; ended early: " + CaptureInfo.reason(info.endedEarly());
    }

    private static String checked(CaptureInfo info, boolean hasKey) {
        boolean readable = info.keyId() == null || hasKey;
        return Quantities.bytes(info.fileBytes() - info.cutBytes()) + " in "
                + Quantities.count(info.segments(), "file") + " checked: every checksum"
                + (readable
                        ? " and " + Quantities.count(info.records(), "record") + " ("
                                + Quantities.count(info.requests(), "request") + " on "
                                + Quantities.count(info.connections(), "connection") + ", "
                                + Quantities.bytes(info.dataBytes()) + ")"
                        : "; " + Quantities.count(info.records(), "record")
                                + ", encrypted: --key-file checks them too, and counts requests");
    }
}
