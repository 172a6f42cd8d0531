package dev.lockstep.launcher;

import dev.lockstep.monitor.metrics.MetricsSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.immutables.value.Value;

/**
 * One target as the user describes it: a profile to start, an address to attach to, or an application of the user's
 * own. Immutable; safe to use from any thread.
 *
 * <p>A name consists of letters, digits and {@code . _ - @}, because files and control groups are named after it. A
 * target that the user did not name is called as it was written, {@code graal@25}; an address with '-' for its colon.
 */
@Value.Immutable
public abstract class TargetSpec {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}");
    private static final Pattern PROFILE = Pattern.compile("([a-z0-9]+)(?:@([0-9]{1,3}))?");
    private static final Pattern ADDRESS =
            Pattern.compile("(?:(https?|tls)://)?(\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?");

    /** What is meant for an address, even where it is none. */
    private static final Pattern LIKE_ADDRESS = Pattern.compile(".*:.*|[0-9]+([.][0-9]+)+|localhost");

    /** What has an @ and is no address: a profile of a JDK, known or not. */
    private static final Pattern OF_JDK = Pattern.compile("(?:[^=@:/]*=)?[^=@:/]+@[0-9]+");

    /** A user, a password or a token before a host; the @ of a name has no colon before it, and a = behind it. */
    private static final Pattern WITH_USER = Pattern.compile(".*:.*@.*|.*@[^=]*:.*");

    /**
     * Reads one target of the command line: {@code PROFILE[@JDK]}, {@code HOST:PORT}, the same behind {@code http://},
     * or behind {@code https://} or {@code tls://} for TLS, or a name of {@code known}; each with an optional
     * {@code NAME=} before it.
     *
     * @param known further targets by name, from a targets file; they come before profiles of the same name. Only those
     *     that are chosen are asked for, and what that throws is thrown
     * @throws IllegalArgumentException with one line that lists what is known
     */
    public static TargetSpec parse(String text, Map<String, Supplier<TargetSpec>> known) {
        requireNoUser(text);
        String trimmed = text.trim();
        int equals = trimmed.indexOf('=');
        String what = trimmed.substring(equals + 1).trim();
        String name = equals < 0 ? null : trimmed.substring(0, equals).trim();
        if (known.containsKey(what)) {
            TargetSpec spec = known.get(what).get();
            return name == null ? spec : spec.withName(name);
        }
        Matcher profileMatcher = PROFILE.matcher(what);
        if (profileMatcher.matches()) {
            Optional<Profile> profile = Profile.of(profileMatcher.group(1));
            if (profile.isPresent()) {
                Builder builder = builder(name == null ? what : name).profile(profile.get());
                int jdk = profileMatcher.group(2) == null ? 0 : Integer.parseInt(profileMatcher.group(2));
                if (jdk > 0) {
                    builder.jdkVersion(jdk);
                }
                return builder.build();
            }
        }
        Matcher addressMatcher = ADDRESS.matcher(what);
        int port = addressMatcher.matches() ? port(addressMatcher.group(1), addressMatcher.group(3)) : 0;
        if (isPort(port)) {
            String host = addressMatcher.group(2);
            String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            String scheme = addressMatcher.group(1);
            String ownName =
                    (bare + "-" + port).replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^[^A-Za-z0-9]+", "");
            return builder(name == null ? ownName : name)
                    .attach(bare, port)
                    .tls(scheme != null && !scheme.equals("http"))
                    .build();
        }
        if (LIKE_ADDRESS.matcher(what).matches()) {
            throw new IllegalArgumentException("expected [NAME=]HOST:PORT with a port from 1 to 65535, such as"
                    + " prod=127.0.0.1:8080 or prod=https://[::1]:8443, found '" + text + "'");
        }
        throw new IllegalArgumentException(
                "unknown target '" + text + "': known are " + knownTargets(known)
                        + ", HOST:PORT, and https://HOST:PORT for TLS; each may have NAME= before it, a profile @JDK after it (graal@25)");
    }

    private static void requireNoUser(String text) {
        if (WITH_USER.matcher(text).matches()) {
            // Not quoted, since the password is in it.
            throw new IllegalArgumentException(
                    "expected no user and password in an address; give -H 'Authorization: ...'");
        }
    }

    /** Returns the port of an address, or that of its scheme, or 0. */
    private static int port(String scheme, String port) {
        if (port != null) {
            return Integer.parseInt(port);
        }
        return "https".equals(scheme) ? 443 : "http".equals(scheme) ? 80 : 0;
    }

    /** Returns the part behind the target's name, or the whole text when it has no name. */
    private static String profileOf(String part) {
        return part.substring(part.indexOf('=') + 1).trim();
    }

    private static String knownTargets(Map<String, Supplier<TargetSpec>> known) {
        List<String> names = new ArrayList<>(new TreeSet<>(known.keySet()));
        for (Profile profile : Profile.values()) {
            names.add(profile.id());
        }
        return String.join(", ", names);
    }

    /**
     * Reads several targets joined by commas; their names must differ.
     *
     * @throws IllegalArgumentException as {@link #parse}, and for a name used twice
     */
    public static List<TargetSpec> parseAll(String text, Map<String, Supplier<TargetSpec>> known) {
        List<TargetSpec> specs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        List<String> parts = List.of(text.split(",", -1));
        for (String part : parts) {
            TargetSpec spec;
            try {
                spec = parse(part, known);
            } catch (IllegalArgumentException e) {
                // A comma may be one of a password, of which nothing is to be quoted.
                if (parts.stream()
                        .anyMatch(one ->
                                one.contains("@") && !OF_JDK.matcher(one.trim()).matches())) {
                    requireNoUser(text);
                }
                throw e;
            }
            if (!names.add(spec.name())) {
                throw new IllegalArgumentException(
                        "target name '" + spec.name() + "' is used twice; name them apart, for example a="
                                + profileOf(part) + ",b=" + profileOf(part));
            }
            specs.add(spec);
        }
        return specs;
    }

    /** Starts the description of an application to be launched. */
    public static Builder builder(String name) {
        return new Builder().name(name);
    }

    public abstract String name();

    /** The server to attach to, the first of its addresses; empty for targets that are launched. May be unresolved. */
    public abstract Optional<InetSocketAddress> attachAddress();

    /**
     * All addresses of the server to attach to; none of a host that is not known, and of targets that are launched.
     * They were looked up when the target was described and are not looked up again, so that the addresses that were
     * checked are those that are connected to.
     */
    public abstract List<InetSocketAddress> attachAddresses();

    /** Where a server to attach to tells what it costs; empty where nobody knows, and of targets that are launched. */
    public abstract Optional<MetricsSource> metrics();

    @Value.Default
    public boolean tls() {
        return false;
    }

    /**
     * The profile that must serve; c2 when none is set and the command contains a placeholder for Java. Empty for an
     * attached target and for a command that needs no JVM.
     */
    public abstract Optional<Profile> profile();

    /** The JDK's feature version asked for, for example 25. */
    public abstract OptionalInt jdkVersion();

    public abstract List<String> jvmOptions();

    /** Whether any JIT is right, since the options choose one themselves: what runs is found out, and not asked for. */
    @Value.Default
    public boolean anyJit() {
        return false;
    }

    /**
     * The command template of an own application; empty: that of {@link LaunchSettings}. In every word {@code {port}},
     * {@code {java}}, {@code {javaHome}} and {@code {jvmOptions}} are replaced; a word that is just
     * {@code {jvmOptions}} becomes one word for each option. Where that is missing, the options follow the word
     * {@code {java}}. The process also gets {@code JAVA_HOME}. A script must {@code exec} its JVM, so that what is
     * measured is the JVM.
     */
    public abstract List<String> command();

    /** The port the application listens on; empty: a free one is chosen for {@code {port}}. */
    public abstract OptionalInt port();

    /** The path asked for readiness, empty for an open port; absent: that of {@link LaunchSettings}. */
    public abstract Optional<String> readinessPath();

    /** Environment variables; their values may contain the same placeholders as the command. */
    public abstract Map<String, String> environment();

    /** Returns this target with options added at the end of its JVM options. */
    public TargetSpec withJvmOptions(List<String> options) {
        return new Builder().from(this).addAllJvmOptions(options).build();
    }

    public TargetSpec withAnyJit() {
        return new Builder().from(this).anyJit(true).build();
    }

    public TargetSpec withName(String name) {
        return new Builder().from(this).name(name).build();
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= 65535;
    }

    @Value.Check
    TargetSpec check() {
        if (!NAME.matcher(name()).matches()) {
            throw new IllegalArgumentException("target name '" + name()
                    + "': expected up to 64 letters, digits and . _ - @, not beginning with a sign but _");
        }
        if (port().isPresent() && !isPort(port().getAsInt())) {
            throw wrong("port must be between 1 and 65535, found " + port().getAsInt());
        }
        if (jdkVersion().isPresent() && jdkVersion().getAsInt() <= 0) {
            throw wrong("JDK version must be positive: " + jdkVersion().getAsInt());
        }
        if (readinessPath().isPresent() && !readinessPath().get().isEmpty()) {
            LaunchSettings.checkPath(
                    "target " + name() + ": readiness path", readinessPath().get());
        }
        if (attachAddress().isPresent()) {
            if (profile().isPresent()
                    || !command().isEmpty()
                    || !jvmOptions().isEmpty()
                    || jdkVersion().isPresent()
                    || port().isPresent()
                    || !environment().isEmpty()) {
                throw wrong("it is attached to, so it can have neither command, profile, JDK, JVM options, environment"
                        + " nor port");
            }
            return this;
        }
        if (metrics().isPresent()) {
            throw wrong("metrics go with the address of a server that runs already; what Lockstep starts it measures"
                    + " itself");
        }
        if (tls() && command().isEmpty()) {
            throw wrong("tls goes with a command or an address, for the sample service speaks none");
        }
        if (command().isEmpty() && profile().isEmpty()) {
            throw wrong("expected a profile, a command or an address, found none of them");
        }
        environment().forEach((variable, value) -> {
            if (variable.isEmpty() || variable.contains("=") || (variable + value).indexOf('\0') >= 0) {
                throw wrong("environment: expected a name without '=', and no NUL, found '" + variable + "'");
            }
        });
        CommandTemplate template = new CommandTemplate(command(), environment());
        if (profile().isEmpty() && template.mentionsJava()) {
            return new Builder().from(this).profile(Profile.C2).build();
        }
        if (!command().isEmpty()) {
            checkCommand(template);
        }
        return this;
    }

    private void checkCommand(CommandTemplate template) {
        if (profile().isPresent() && !template.placesJvmOptions()) {
            throw wrong("profile " + profile().get().id() + " needs the word {java} or a {jvmOptions} in command or"
                    + " environment, found '" + String.join(" ", command()) + "'");
        }
        if (profile().isEmpty() && !jvmOptions().isEmpty()) {
            throw wrong("JVM options need a {java} or {jvmOptions} in the command");
        }
        if (port().isEmpty() && !template.placesPort()) {
            throw wrong("expected a port, or {port} in command or environment, found neither in '"
                    + String.join(" ", command()) + "'");
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("target " + name() + ": " + what);
    }

    /** {@link #build} throws IllegalArgumentException naming the field, the rule and the value. */
    public static final class Builder extends ImmutableTargetSpec.Builder {
        Builder() {}

        /** Attaches to a server that runs already instead of launching one; looks its host up. */
        public Builder attach(String host, int port) {
            List<InetSocketAddress> found = new ArrayList<>();
            try {
                for (InetAddress one : InetAddress.getAllByName(host)) {
                    found.add(new InetSocketAddress(one, port));
                }
            } catch (UnknownHostException e) {
                // An unknown host is reported when we attach to it; until then the description can still be used.
            }
            return attachAddresses(found)
                    .attachAddress(found.isEmpty() ? InetSocketAddress.createUnresolved(host, port) : found.get(0));
        }
    }
}
