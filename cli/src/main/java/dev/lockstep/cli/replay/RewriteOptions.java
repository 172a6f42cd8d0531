package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.replayer.rewriting.LiveToken;
import dev.lockstep.replayer.rewriting.Rewrites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The options that change requests before they are sent. Filled by picocli, then only read. */
@Heading("What to send")
final class RewriteOptions {
    private static final Duration LEAST_EVERY = Duration.ofSeconds(1);

    private final LiveToken login = new LiveToken();

    /** What becomes of the deadlines that requests of Finagle's carry. */
    enum Deadlines {
        SHIFT,
        KEEP
    }

    @Option(
            names = {"-H", "--set-header"},
            paramLabel = "FIELD",
            description = "Sets a header field in every request, 'Name: value', or removes it, 'Name:'. HTTP/1 "
                    + "only. May be repeated.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--rewrite-host",
            paramLabel = "HOST",
            arity = "0..1",
            fallbackValue = "",
            description = "Sets Host to this host, or without one to each target's own. HTTP/1 only.")
    private String host;

    @Option(
            names = "--rewrite-path",
            paramLabel = "REGEX=>TEXT",
            description = "Replaces what the expression finds in request targets: '^/v1/=>/v2/'; $1 stands for a "
                    + "group. HTTP/1 only. May be repeated.")
    private List<String> paths = new ArrayList<>();

    @Option(
            names = "--token",
            paramLabel = "REGEX",
            description = "Keeps sessions alive: what 'sid=(\\w+)' finds in an answer replaces what it finds in "
                    + "later requests of that session. May be repeated.")
    private List<String> tokens = new ArrayList<>();

    @Option(
            names = "--token-command",
            paramLabel = "COMMAND",
            description = "Sends 'Authorization: Bearer TOKEN': the first line that 'sh -c COMMAND' prints, renewed "
                    + "before it expires (docs/rewriting.md). HTTP/1 only.")
    private String tokenCommand;

    @Option(
            names = "--token-every",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How often --token-command runs, for tokens that do not say when they expire: 5m.")
    private Duration tokenEvery;

    @Option(
            names = "--deadlines",
            paramLabel = "shift|keep",
            converter = DeadlinesConverter.class,
            description =
                    "shift: the deadlines of Finagle's requests (ThriftMux, TTwitter, HTTP/1) are moved to the replay's "
                            + "clock. keep: they go out as recorded, expired. Default: shift.")
    private Deadlines deadlines = Deadlines.SHIFT;

    /** Tells whether deadlines are sent as recorded. */
    boolean keepsDeadlines() {
        return deadlines == Deadlines.KEEP;
    }

    /** Returns the host asked for, or null; it may have taken the capture's name for it. */
    String host() {
        return host;
    }

    /** Checks the options that go together. */
    void check() {
        if (tokenEvery != null && tokenCommand == null) {
            throw new UsageException("--token-every: expected --token-command beside it, which it repeats");
        }
        if (tokenEvery != null && tokenEvery.compareTo(LEAST_EVERY) < 0) {
            throw new UsageException(
                    "--token-every: expected at least 1s, found " + DurationConverter.print(tokenEvery));
        }
    }

    /** Runs the command that prints a token, and renews it until that is closed; null without one. */
    TokenCommand startLogin() {
        return tokenCommand == null ? null : TokenCommand.start(tokenCommand, tokenEvery, login);
    }

    /**
     * Returns the fields to be set in every request, checked.
     *
     * @throws UsageException for one that is none
     */
    List<String> headers() {
        rewrites(true);
        return headers;
    }

    /**
     * Returns what is changed, or null for nothing.
     *
     * @param withHeaders whether header fields are set too
     * @throws UsageException for a rule that is none
     */
    Rewrites rewrites(boolean withHeaders) {
        Rewrites.Builder rewrites = Rewrites.builder();
        try {
            tokens.forEach(rewrites::token);
            paths.forEach(rewrites::path);
            if (withHeaders) {
                headers.forEach(rewrites::header);
            }
            if (tokenCommand != null) {
                rewrites.login(login);
            }
            if (host != null) {
                rewrites.host(host.isEmpty() ? null : host);
            }
            return rewrites.build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** Reads what becomes of deadlines. */
    static final class DeadlinesConverter extends KeyConverter<Deadlines> {
        DeadlinesConverter() {
            super(Deadlines.values(), what -> what.name().toLowerCase(Locale.ROOT));
        }
    }
}
