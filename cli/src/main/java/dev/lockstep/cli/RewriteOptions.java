package dev.lockstep.cli;

import dev.lockstep.replayer.Rewrites;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that change requests before they are sent. Filled by picocli, then only read. */
final class RewriteOptions {
    @Option(
            names = "--set-header",
            paramLabel = "FIELD",
            order = 35,
            description =
                    "Set a header field of every request, 'Name: value', or remove it, 'Name:'. This and the other "
                            + "rewrites need HTTP/1, are listed in the result, and end the claim that bytes are sent as recorded. "
                            + "May be repeated.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--rewrite-host",
            paramLabel = "HOST",
            arity = "0..1",
            fallbackValue = "",
            order = 36,
            description = "Set Host to this host, or without one to each target's own.")
    private String host;

    @Option(
            names = "--rewrite-path",
            paramLabel = "REGEX=>TEXT",
            order = 37,
            description =
                    "Replace what the expression finds in request targets: '^/v1/=>/v2/', with $1 for its groups. May "
                            + "be repeated.")
    private List<String> paths = new ArrayList<>();

    @Option(
            names = "--token",
            paramLabel = "REGEX",
            order = 38,
            description =
                    "Keep sessions alive: what group 1 finds in an answer replaces what group 1 finds in later requests "
                            + "of the same recorded connection, 'sid=(\\w+)'. 'REQUEST<=ANSWER' where the two differ. May be "
                            + "repeated.")
    private List<String> tokens = new ArrayList<>();

    /** Returns the host asked for, or null; it may have taken the capture's name for it. */
    String host() {
        return host;
    }

    /**
     * Returns what is changed, or null for nothing.
     *
     * @throws UsageException for a rule that is none
     */
    Rewrites rewrites() {
        Rewrites.Builder rewrites = Rewrites.builder();
        try {
            tokens.forEach(rewrites::token);
            paths.forEach(rewrites::path);
            headers.forEach(rewrites::header);
            if (host != null) {
                rewrites.host(host.isEmpty() ? null : host);
            }
            return rewrites.build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }
}
