package dev.lockstep.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Lockstep's version and the commit it was built from, which the build wrote into the jar. */
public final class Version implements IVersionProvider {
    /** Written by the build; of sources without a Git checkout the commit is empty. */
    private static final String COMMIT = "commit.properties";

    @Override
    public String[] getVersion() {
        return new String[] {"Lockstep " + number() + commit()};
    }

    /** Returns it without the name, "development" where Lockstep does not run from its jar. */
    public static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private static String commit() {
        try (InputStream in = Version.class.getResourceAsStream(COMMIT)) {
            if (in == null) {
                return "";
            }
            Properties build = new Properties();
            build.load(in);
            String commit = build.getProperty("commit", "");
            boolean changed = Boolean.parseBoolean(build.getProperty("changed"));
            return commit.isEmpty() ? "" : " (commit " + commit + (changed ? " with changes)" : ")");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
