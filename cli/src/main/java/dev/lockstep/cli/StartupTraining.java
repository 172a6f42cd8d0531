package dev.lockstep.cli;

import java.io.PrintWriter;
import java.io.Writer;

/**
 * Loads the classes of a start, so that ./replay can put them into the JVM's class data sharing archive. Not for people.
 */
final class StartupTraining {
    private StartupTraining() {}

    public static void main(String[] args) {
        for (String command :
                new String[] {"--help", "record --help", "doctor", "--targets c2,graal -z 1s -q 1 -c 1"}) {
            Main.commandLine(Interruption.detached())
                    .setOut(new PrintWriter(Writer.nullWriter()))
                    .setErr(new PrintWriter(Writer.nullWriter()))
                    .execute(command.split(" "));
        }
    }
}
