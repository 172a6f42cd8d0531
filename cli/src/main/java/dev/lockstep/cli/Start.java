package dev.lockstep.cli;

import dev.lockstep.cli.command.ExitCode;

/**
 * Where the JVM begins. It names no class of a library, so that it can be loaded, and can tell what is wrong, where the
 * build lacks one of its jars.
 */
public final class Start {
    private Start() {}

    public static void main(String[] args) {
        try {
            Main.main(args);
        } catch (NoClassDefFoundError e) {
            // Of a class that could not be initialised, the message says so and the trace is needed.
            if (!(e.getCause() instanceof ClassNotFoundException)) {
                throw e;
            }
            System.err.println("replay: the installation is not whole, class "
                    + String.valueOf(e.getMessage()).replace('/', '.')
                    + " is in none of its jars; install it again, or build it again with: mvn -DskipTests package");
            System.exit(ExitCode.FAILED);
        }
    }
}
