package dev.lockstep.launcher;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One target as the user describes it: a profile to start, an address to attach to, or an application of the user's
 * own. Immutable; safe to use from any thread.
 *
 * <p>A name consists of letters, digits and {@code . _ - @}, because files and control groups are named after it. A
 * target that the user did not name is called as it was written, {@code graal@25}; an address with '-' for its colon.
 */
public final class TargetSpec {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}");
    private static final Pattern PROFILE = Pattern.compile("([a-z0-9]+)(?:@([0-9]{1,3}))?");
    private static final Pattern ADDRESS =
            Pattern.compile("(?:(https?|tls)://)?(\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?");

    private final String name;
    private final InetSocketAddress attachAddress;
    private final List<InetSocketAddress> attachAddresses;
    private final boolean tls;
    private final Profile profile;
    private final int jdkVersion;
    private final List<String> jvmOptions;
    private final List<String> command;
    private final int port;
    private final String readinessPath;
    private final Map<String, String> environment;

    private TargetSpec(Builder builder) {
        name = builder.name;
        attachAddress = builder.attachAddress;
        attachAddresses = List.copyOf(builder.attachAddresses);
        tls = builder.tls;
        profile = builder.profile;
        jdkVersion = builder.jdkVersion;
        jvmOptions = List.copyOf(builder.jvmOptions);
        command = List.copyOf(builder.command);
        port = builder.port;
        readinessPath = builder.readinessPath;
        environment = Map.copyOf(builder.environment);
    }

    /**
     * Reads one target of the command line: {@code PROFILE[@JDK]}, {@code HOST:PORT}, the same behind {@code http://},
     * or behind {@code https://} or {@code tls://} for TLS, or a name of {@code known}; each with an optional {@code
     * NAME=} before it.
     *
     * @param known further targets by name, from a targets file; they come before profiles of the same name
     * @throws IllegalArgumentException with one line that lists what is known
     */
    public static TargetSpec parse(String text, Map<String, TargetSpec> known) {
        String trimmed = text.trim();
        int equals = trimmed.indexOf('=');
        String what = trimmed.substring(equals + 1).trim();
        String name = equals < 0 ? null : trimmed.substring(0, equals).trim();
        TargetSpec spec = known.get(what);
        if (spec != null) {
            return name == null ? spec : spec.withName(name);
        }
        Matcher profileMatcher = PROFILE.matcher(what);
        if (profileMatcher.matches()) {
            Optional<Profile> profile = Profile.of(profileMatcher.group(1));
            if (profile.isPresent()) {
                Builder builder = builder(name == null ? what : name).profile(profile.get());
                if (profileMatcher.group(2) != null) {
                    builder.jdkVersion(Integer.parseInt(profileMatcher.group(2)));
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
            String ownName = (bare + "-" + port).replaceAll("[^A-Za-z0-9._-]", "_");
            return builder(name == null ? ownName : name)
                    .attach(bare, port)
                    .tls(scheme != null && !scheme.equals("http"))
                    .build();
        }
        throw new IllegalArgumentException(
                "unknown target '" + text + "': known are " + knownTargets(known)
                        + ", HOST:PORT, and https://HOST:PORT for TLS; each may have NAME= before it, a profile @JDK after it (graal@25)");
    }

    /** Returns the port of an address, that of its scheme where it says none; 0 where neither does. */
    private static int port(String scheme, String port) {
        if (port != null) {
            return Integer.parseInt(port);
        }
        return "https".equals(scheme) ? 443 : "http".equals(scheme) ? 80 : 0;
    }

    /** Returns what stands behind the name of a target, or all where it has none. */
    private static String profileOf(String part) {
        return part.substring(part.indexOf('=') + 1).trim();
    }

    private static String knownTargets(Map<String, TargetSpec> known) {
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
    public static List<TargetSpec> parseAll(String text, Map<String, TargetSpec> known) {
        List<TargetSpec> specs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String part : text.split(",", -1)) {
            TargetSpec spec = parse(part, known);
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
        return new Builder(name);
    }

    public String name() {
        return name;
    }

    /** Returns the server to attach to, the first of its addresses; empty for targets that are launched. May be unresolved. */
    public Optional<InetSocketAddress> attachAddress() {
        return Optional.ofNullable(attachAddress);
    }

    /**
     * Returns all addresses of the server to attach to; none of a host that is not known, and of targets that are
     * launched. They were looked up when the target was described, and are not looked up again: what is checked of them
     * is true of those that are connected to.
     */
    public List<InetSocketAddress> attachAddresses() {
        return attachAddresses;
    }

    /** Tells whether the target speaks TLS. */
    public boolean tls() {
        return tls;
    }

    /** Returns the profile that must serve; empty for an attached target and for a command that needs no JVM. */
    public Optional<Profile> profile() {
        return Optional.ofNullable(profile);
    }

    /** Returns the JDK's feature version asked for. */
    public OptionalInt jdkVersion() {
        return jdkVersion == 0 ? OptionalInt.empty() : OptionalInt.of(jdkVersion);
    }

    public List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns the command template of an own application; empty: that of {@link LaunchSettings}. */
    public List<String> command() {
        return command;
    }

    /** Returns the port the application listens on; empty: a free one is chosen for {@code {port}}. */
    public OptionalInt port() {
        return port == 0 ? OptionalInt.empty() : OptionalInt.of(port);
    }

    /** Returns the path asked for readiness; empty: that of {@link LaunchSettings}. */
    public Optional<String> readinessPath() {
        return Optional.ofNullable(readinessPath);
    }

    public Map<String, String> environment() {
        return environment;
    }

    /** Returns this target with options added at the end of its JVM options. */
    public TargetSpec withJvmOptions(List<String> options) {
        Builder builder = toBuilder(name);
        builder.jvmOptions.addAll(options);
        return builder.build();
    }

    /** Returns this target under another name. */
    public TargetSpec withName(String name) {
        return toBuilder(name).build();
    }

    private Builder toBuilder(String newName) {
        Builder builder = new Builder(newName);
        builder.attachAddress = attachAddress;
        builder.attachAddresses = attachAddresses;
        builder.tls = tls;
        builder.profile = profile;
        builder.jdkVersion = jdkVersion;
        builder.jvmOptions.addAll(jvmOptions);
        builder.command = command;
        builder.port = port;
        builder.readinessPath = readinessPath;
        builder.environment.putAll(environment);
        return builder;
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= 65535;
    }

    /** Collects a description; {@link #build()} checks it. */
    public static final class Builder {
        private final String name;
        private final List<String> jvmOptions = new ArrayList<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private InetSocketAddress attachAddress;
        private List<InetSocketAddress> attachAddresses = List.of();
        private boolean tls;
        private Profile profile;
        private int jdkVersion;
        private List<String> command = List.of();
        private int port;
        private String readinessPath;

        private Builder(String name) {
            this.name = name;
        }

        /** Launches with this profile; c2 when none is set and the command contains a placeholder for Java. */
        public Builder profile(Profile profile) {
            this.profile = profile;
            return this;
        }

        /** Asks for a feature version of the JDK, for example 25. */
        public Builder jdkVersion(int version) {
            this.jdkVersion = version;
            return this;
        }

        public Builder jvmOptions(List<String> options) {
            jvmOptions.clear();
            jvmOptions.addAll(options);
            return this;
        }

        /**
         * Sets the command. In every word {@code {port}}, {@code {java}}, {@code {javaHome}} and {@code {jvmOptions}}
         * are replaced; a word that is just {@code {jvmOptions}} becomes one word for each option. Where that is
         * missing, the options follow the word {@code {java}}. The process also gets {@code JAVA_HOME}. A script must
         * {@code exec} its JVM, so that what is measured is the JVM.
         */
        public Builder command(List<String> template) {
            this.command = List.copyOf(template);
            return this;
        }

        /** Sets a fixed port; without it a free one is chosen. */
        public Builder port(int port) {
            if (!isPort(port)) {
                throw new IllegalArgumentException(
                        "target " + name + ": port must be between 1 and 65535, found " + port);
            }
            this.port = port;
            return this;
        }

        /** Sets the path of the readiness request; empty: an open port is enough. */
        public Builder readinessPath(String path) {
            this.readinessPath = path;
            return this;
        }

        /** Adds environment variables; their values may contain the same placeholders as the command. */
        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        /** Attaches to a server that runs already instead of launching one; looks its host up. */
        public Builder attach(String host, int port) {
            List<InetSocketAddress> found = new ArrayList<>();
            try {
                for (InetAddress one : InetAddress.getAllByName(host)) {
                    found.add(new InetSocketAddress(one, port));
                }
            } catch (UnknownHostException e) {
                // Told when it is to be attached to; until then it may be looked at.
            }
            this.attachAddresses = found;
            this.attachAddress = found.isEmpty() ? InetSocketAddress.createUnresolved(host, port) : found.get(0);
            return this;
        }

        /** Says whether the target speaks TLS; it does not unless told so. */
        public Builder tls(boolean tls) {
            this.tls = tls;
            return this;
        }

        /** Returns the target; throws IllegalArgumentException naming the field, the rule and the value. */
        public TargetSpec build() {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("target name '" + name
                        + "': expected up to 64 letters, digits and . _ - @, not beginning with a sign but _");
            }
            if (attachAddress != null) {
                if (profile != null || !command.isEmpty() || !jvmOptions.isEmpty() || jdkVersion != 0) {
                    throw new IllegalArgumentException("target " + name
                            + ": it is attached to, so it can have neither command, profile, JDK nor JVM options");
                }
                return new TargetSpec(this);
            }
            if (tls && command.isEmpty()) {
                throw new IllegalArgumentException("target " + name
                        + ": tls goes with a command or an address, for the sample service speaks none");
            }
            if (readinessPath != null && !readinessPath.isEmpty()) {
                LaunchSettings.checkPath("target " + name + ": readiness path", readinessPath);
            }
            if (!command.isEmpty()) {
                buildCommand();
            } else if (profile == null) {
                throw new IllegalArgumentException(
                        "target " + name + ": expected a profile, a command or an address, found none of them");
            }
            if (jdkVersion < 0) {
                throw new IllegalArgumentException("target " + name + ": JDK version must be positive: " + jdkVersion);
            }
            return new TargetSpec(this);
        }

        private void buildCommand() {
            CommandTemplate template = new CommandTemplate(command, environment);
            if (profile == null && template.mentionsJava()) {
                profile = Profile.C2;
            }
            if (profile != null && !template.placesJvmOptions()) {
                throw new IllegalArgumentException("target " + name
                        + ": profile " + profile.id() + " needs the word {java} or a {jvmOptions} in command or"
                        + " environment, found '" + String.join(" ", command) + "'");
            }
            if (profile == null && !jvmOptions.isEmpty()) {
                throw new IllegalArgumentException(
                        "target " + name + ": JVM options need a {java} or {jvmOptions} in the command");
            }
            if (port == 0 && !template.placesPort()) {
                throw new IllegalArgumentException("target " + name
                        + ": expected a port, or {port} in command or environment, found neither in '"
                        + String.join(" ", command) + "'");
            }
        }
    }
}
