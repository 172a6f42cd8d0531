package dev.lockstep.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A command of an experiment, whose results stand in a directory of its name. Immutable. */
public final class Part {
    private static final String TRY = "try";

    private final String name;
    private final List<String> words;
    private final List<String> targets;
    private final List<String> services;
    private final List<String> needs;
    private final List<String> tried;
    private final Optional<Duration> about;
    private final boolean isTry;
    private final Optional<String> note;

    /**
     * @param isTry whether it tries one of several values
     * @param note what must be known of its figures, for people
     */
    Part(
            String name,
            List<String> words,
            List<String> targets,
            List<String> services,
            List<String> needs,
            List<String> tried,
            Optional<Duration> about,
            boolean isTry,
            Optional<String> note) {
        this.name = name;
        this.words = List.copyOf(words);
        this.targets = List.copyOf(targets);
        this.services = List.copyOf(services);
        this.needs = List.copyOf(needs);
        this.tried = List.copyOf(tried);
        this.about = about;
        this.isTry = isTry;
        this.note = note;
    }

    /** Its name, and that of its directory. */
    public String name() {
        return name;
    }

    /**
     * The words of the command, without program and run directory. What is known only when it begins stands in braces:
     * {@code {root}}, {@code {targetApp}}, {@code {targetsFile}}, {@code {processors}}, {@code {folder}} of the
     * definition, {@code {directory}} of the experiment, {@code {thisJava}}, {@code {try}}, and the name of each
     * service for its HOST:PORT.
     */
    public List<String> words() {
        return words;
    }

    /** The targets as on the command line, for which JVMs must be installed. */
    public List<String> targets() {
        return targets;
    }

    /** The programs that run beside the targets. */
    List<String> services() {
        return services;
    }

    /** The files that must be there, with placeholders. */
    List<String> needs() {
        return needs;
    }

    /** The values in rising order of which the least that holds is looked for; empty for a part of one run. */
    List<String> tried() {
        return tried;
    }

    /** How long it takes, where its command does not tell. */
    Optional<Duration> about() {
        return about;
    }

    /** Whether it searches parameters, and keeps the way by itself. */
    boolean isSearch() {
        return words.get(0).equals("tune");
    }

    /** Its run directory, below the experiment's; of a search that of its verification. */
    String runDirectory() {
        return isSearch() ? name + "/verification" : name;
    }

    /** Whether it is a program of its own, and not a command of Lockstep's. */
    boolean isProgram() {
        return words.get(0).equals("exec");
    }

    /** Whether it tries one of several values. */
    boolean isTry() {
        return isTry;
    }

    /** What must be known of its figures. */
    Optional<String> note() {
        return note;
    }

    /** Returns the run that tries one of the values. */
    Part of(String value) {
        Scope scope = new Scope(name, Map.of(TRY, List.of(value)), Map.of());
        return new Part(name + "/" + value, scope.words(words), targets, services, needs, List.of(), about, true, note);
    }
}
