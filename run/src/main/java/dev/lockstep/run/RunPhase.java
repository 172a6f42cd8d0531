package dev.lockstep.run;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** A part of a run, such as the start of a target or its warm-up. Immutable. */
public final class RunPhase {
    public enum Kind {
        START,
        WARM_UP,
        /** The first requests are sent twice, to learn which answers vary. */
        LEARNING,
        MEASUREMENT,
        PROFILE_START,
        PROFILE_WARM_UP,
        PROFILE,
        PROFILE_END
    }

    /** One of the turns that targets take. */
    public static final class Turn {
        private final long number;
        private final int targets;
        private final int rounds;

        Turn(long number, int targets, int rounds) {
            this.number = number;
            this.targets = targets;
            this.rounds = rounds;
        }

        /** From 0, over all targets. */
        public long number() {
            return number;
        }

        public int targets() {
            return targets;
        }

        /** How many turns each target gets. */
        public int rounds() {
            return rounds;
        }
    }

    private final Kind kind;
    private final String title;
    private final String target;
    private final OptionalLong lengthNs;
    private final Turn turn;

    private RunPhase(Kind kind, String title, String target, OptionalLong lengthNs, Turn turn) {
        this.kind = kind;
        this.title = Objects.requireNonNull(title);
        this.target = target;
        this.lengthNs = lengthNs;
        this.turn = turn;
    }

    /** @param title for people, complete: with the launch and the target where there are several */
    static RunPhase of(Kind kind, String title) {
        return new RunPhase(kind, title, null, OptionalLong.empty(), null);
    }

    RunPhase target(String name) {
        return new RunPhase(kind, title, name, lengthNs, turn);
    }

    RunPhase lasting(OptionalLong lengthNs) {
        return new RunPhase(kind, title, target, lengthNs, turn);
    }

    RunPhase lasting(Duration length) {
        return lasting(OptionalLong.of(length.toNanos()));
    }

    RunPhase turn(Turn turn) {
        return new RunPhase(kind, title, target, lengthNs, turn);
    }

    public Kind kind() {
        return kind;
    }

    /** A line for people, such as "launch 2 of 3: c2: starting". */
    public String title() {
        return title;
    }

    /** The only target that it is about; absent where it is about all. */
    public Optional<String> target() {
        return Optional.ofNullable(target);
    }

    /** How long it will take; absent where nobody knows. */
    public OptionalLong lengthNs() {
        return lengthNs;
    }

    public Optional<Turn> turn() {
        return Optional.ofNullable(turn);
    }
}
