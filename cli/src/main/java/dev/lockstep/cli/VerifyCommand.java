package dev.lockstep.cli;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.OpenOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code replay verify}: checks captures from their first byte to their last. */
@Command(
        name = "verify",
        description = "Checks captures from the first byte to the last: every checksum, the order and length of every "
                + "record, and the counts. An encrypted capture is checked without its key too, but for its records.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        footerHeading = "%nExample:%n",
        footer = {
            "  replay verify capture.bin",
            "Exit code: 0 all are whole, 1 one is damaged, cut or not readable, 2 wrong command line."
        })
final class VerifyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

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
                out.println(capture + ": whole, " + checked(info, encryptionKey != null));
                out.flush();
            } catch (CaptureException e) {
                whole = false;
                Main.print(err, e.getMessage());
            }
        }
        return whole ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String checked(CaptureInfo info, boolean hasKey) {
        String records = info.keyId() != null && !hasKey
                ? "every checksum; the records are encrypted, --key-file checks them too"
                : "every checksum and " + Quantities.count(info.records(), "record");
        return Quantities.bytes(info.fileBytes()) + " in " + Quantities.count(info.segments(), "file") + " checked: "
                + records + " (" + Quantities.count(info.requests(), "request") + " on "
                + Quantities.count(info.connections(), "connection") + ", " + Quantities.bytes(info.dataBytes()) + ")"
                + (info.closedProperly() ? "" : "; not closed: the recorder was killed, or is still at it");
    }
}
