package dev.lockstep.cli.targets;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.Version;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.Executables;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.ProfileStatus;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.monitor.MachineLoad;
import dev.lockstep.net.Transport;
import dev.lockstep.report.Lines;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code replay doctor}: lists what this machine offers and what is missing, without changing anything. */
@Command(
        name = "doctor",
        header = "Lists which targets this machine can start.",
        description = "Lists for every kind of target what was found, where, and what is missing; and how this "
                + "machine can keep targets apart.",
        footer = {"  replay doctor"},
        exitCodeList = {"0:Printed, whatever is missing."})
public final class DoctorCommand extends ToolCommand {
    private static final long LOAD_MS = 500;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Installation installation = Installation.locate();
        JvmInventory inventory = JvmInventory.discover(installation.graalJars());
        out.println("Targets");
        List<ProfileStatus> profiles = inventory.doctor();
        int width = profiles.stream().mapToInt(p -> p.target().length()).max().orElse(0);
        for (ProfileStatus profile : profiles) {
            String label = pad(profile.target(), width);
            if (profile.isAvailable()) {
                print(out, label, "ok       " + profile.found());
                print(out, pad("", width), "         " + profile.where());
            } else {
                print(out, label, "missing  " + profile.missing());
            }
        }
        out.println();
        out.println("This machine");
        Cores cores = Cores.plan(null, List.of("a", "b"));
        print(out, "processors", Cores.allowed() + "; two targets: " + cores.describe());
        for (String warning : cores.warnings()) {
            print(out, "", warning);
        }
        try (TargetLauncher launcher = TargetLauncher.open(inventory)) {
            print(out, "isolation", launcher.isolation());
        }
        print(out, "load", load(cores));
        print(out, "transport", Transport.best().describe());
        print(out, "taskset", tool("taskset", "pins targets where cpuset cannot be written; package util-linux"));
        print(out, "setpriv", tool("setpriv", "ends targets when Lockstep is killed; package util-linux"));
        print(out, "Maven", tool("mvn", "builds Lockstep; package maven"));
        print(
                out,
                "this JVM",
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version") + " in "
                        + System.getProperty("java.home"));
        print(
                out,
                "kernel",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        print(out, "Lockstep", Version.number());
        out.flush();
        return ExitCode.DONE;
    }

    /** What others do on this machine now; half a second of it. */
    private static String load(Cores cores) {
        List<Integer> processors = cores.wholeCores().toList();
        MachineLoad.Look before = MachineLoad.Look.take(processors);
        try {
            Thread.sleep(LOAD_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return MachineLoad.between(before, MachineLoad.Look.take(processors))
                .map(load -> (load.isBusy() ? "BUSY: " : "") + load)
                .orElse("not known on this system");
    }

    private static void print(PrintWriter out, String label, String value) {
        Lines.wrapped("  " + pad(label, 10) + "  " + value).forEach(out::println);
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String tool(String name, String purpose) {
        return Executables.find(name).map(Path::toString).orElse("missing (" + purpose + ")");
    }
}
