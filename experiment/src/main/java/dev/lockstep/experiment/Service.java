package dev.lockstep.experiment;

import java.util.List;

/** A program that runs beside the targets of a part, such as a data base. Immutable. */
public final class Service {
    private final String name;
    private final List<String> command;

    Service(String name, List<String> command) {
        this.name = name;
        this.command = List.copyOf(command);
    }

    public String name() {
        return name;
    }

    /** Program and arguments; {@code {port}} is the port that it listens on. */
    public List<String> command() {
        return command;
    }
}
