package dev.lockstep.run;

import java.net.InetSocketAddress;

/** A target that answers: one launch of it, or a server that ran already. Immutable. */
public final class ReadyTarget {
    private final String name;
    private final int launch;
    private final InetSocketAddress address;
    private final String sentence;

    ReadyTarget(String name, int launch, InetSocketAddress address, String sentence) {
        this.name = name;
        this.launch = launch;
        this.address = address;
        this.sentence = sentence;
    }

    public String name() {
        return name;
    }

    /** Counted from 1. */
    public int launch() {
        return launch;
    }

    public InetSocketAddress address() {
        return address;
    }

    /** For people: how long it took, where it listens, and with which JIT and JDK. */
    public String sentence() {
        return sentence;
    }
}
