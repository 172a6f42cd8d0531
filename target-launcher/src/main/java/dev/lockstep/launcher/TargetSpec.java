package dev.lockstep.launcher;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One target as the user describes it: a profile to start, an address to attach to, or an application of the user's
 * own. Immutable; safe to use from any thread.
 */
public final class TargetSpec {
    private TargetSpec() {}

    /**
     * Reads one target of the command line: {@code PROFILE[@JDK]}, {@code HOST:PORT} or a name of {@code known}, each
     * with an optional {@code NAME=} before it.
     *
     * @param known further targets by name, from a targets file; may be empty
     * @throws IllegalArgumentException with one line that lists what is known
     */
    public static TargetSpec parse(String text, Map<String, TargetSpec> known) {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads several targets joined by commas; their names must differ.
     *
     * @throws IllegalArgumentException as {@link #parse}, and for a name used twice
     */
    public static List<TargetSpec> parseAll(String text, Map<String, TargetSpec> known) {
        throw new UnsupportedOperationException();
    }

    /** Starts the description of an application to be launched. */
    public static Builder builder(String name) {
        throw new UnsupportedOperationException();
    }

    public String name() {
        throw new UnsupportedOperationException();
    }

    /** Returns the server to attach to; empty for targets that are launched. */
    public Optional<InetSocketAddress> attachAddress() {
        throw new UnsupportedOperationException();
    }

    /** Returns the profile that must serve; empty for an attached target and for a command that needs no JVM. */
    public Optional<Profile> profile() {
        throw new UnsupportedOperationException();
    }

    /** Returns the JDK's feature version asked for. */
    public OptionalInt jdkVersion() {
        throw new UnsupportedOperationException();
    }

    public List<String> jvmOptions() {
        throw new UnsupportedOperationException();
    }

    /** Returns the command template of an own application; empty: that of {@link LaunchSettings}. */
    public List<String> command() {
        throw new UnsupportedOperationException();
    }

    /** Returns the port the application listens on; empty: a free one is chosen for {@code {port}}. */
    public OptionalInt port() {
        throw new UnsupportedOperationException();
    }

    /** Returns the path asked for readiness; empty: that of {@link LaunchSettings}. */
    public Optional<String> readinessPath() {
        throw new UnsupportedOperationException();
    }

    public Map<String, String> environment() {
        throw new UnsupportedOperationException();
    }

    /** Returns this target with options added at the end of its JVM options. */
    public TargetSpec withJvmOptions(List<String> options) {
        throw new UnsupportedOperationException();
    }

    /** Returns this target under another name. */
    public TargetSpec withName(String name) {
        throw new UnsupportedOperationException();
    }

    /** Collects a description; {@link #build()} checks it. */
    public static final class Builder {
        private Builder() {}

        /** Launches with this profile; c2 when none is set and the command contains {@code {java}}. */
        public Builder profile(Profile profile) {
            throw new UnsupportedOperationException();
        }

        /** Asks for a feature version of the JDK, for example 25. */
        public Builder jdkVersion(int version) {
            throw new UnsupportedOperationException();
        }

        public Builder jvmOptions(List<String> options) {
            throw new UnsupportedOperationException();
        }

        /**
         * Sets the command. In every word {@code {port}}, {@code {java}}, {@code {javaHome}} and {@code {jvmOptions}}
         * are replaced; a word that is just {@code {jvmOptions}} becomes one word for each option.
         */
        public Builder command(List<String> template) {
            throw new UnsupportedOperationException();
        }

        /** Sets a fixed port; without it a free one is chosen. */
        public Builder port(int port) {
            throw new UnsupportedOperationException();
        }

        /** Sets the path of the readiness request; empty: an open port is enough. */
        public Builder readinessPath(String path) {
            throw new UnsupportedOperationException();
        }

        /** Adds environment variables; their values may contain the same placeholders as the command. */
        public Builder environment(Map<String, String> variables) {
            throw new UnsupportedOperationException();
        }

        /** Attaches to a server that runs already instead of launching one. */
        public Builder attach(InetSocketAddress address) {
            throw new UnsupportedOperationException();
        }

        /** Returns the target; throws IllegalArgumentException naming the field, the rule and the value. */
        public TargetSpec build() {
            throw new UnsupportedOperationException();
        }
    }
}
