package dev.lockstep.run;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Programs of the tests that run in a JVM of their own. */
public final class TestingPrograms {
    private TestingPrograms() {}

    /**
     * Returns the class path of one that needs the JDK alone. Lockstep sums and digests what a target's class path
     * names, for which all the libraries of the tests would be much.
     */
    public static String classPath(Class<?> main) {
        try {
            return Path.of(main.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
