package dev.lockstep.run;

import java.net.InetSocketAddress;
import org.immutables.value.Value;

/** A target that answers: one launch of it, or a server that ran already. Immutable. */
@Value.Immutable
public abstract class ReadyTarget {
    public abstract String name();

    /** Counted from 1. */
    public abstract int launch();

    public abstract InetSocketAddress address();

    /** For people: how long it took, where it listens, and with which JIT and JDK. */
    public abstract String sentence();
}
