package dev.lockstep.cli.command;

import picocli.CommandLine.IVersionProvider;

/** Lockstep's version, which the build wrote into the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"Lockstep " + number()};
    }

    /** Returns it without the name, "development" where Lockstep does not run from its jar. */
    public static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
