package dev.lockstep.fuzzing;

import java.util.ArrayList;
import java.util.List;

/**
 * Every parser that reads bytes of strangers, as a fuzzer drives it: one method per parser, from an input to an
 * exception where something is wrong.
 */
enum FuzzTargets {
    HTTP_REQUEST(HttpTargets::request),
    HTTP_RESPONSE(HttpTargets::response),
    CONNECTION(HttpTargets::connection),
    CAPTURE_FILE(CaptureTargets::open);

    private final Parser parser;

    FuzzTargets(Parser parser) {
        this.parser = parser;
    }

    /** A parser under test. */
    @FunctionalInterface
    interface Parser {
        void parse(byte[] input) throws Exception;
    }

    /** Returns the name of its folder in the corpus. */
    String folder() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** Parses once; fails when the parser does, or allocates much more than the input warrants. */
    void parse(byte[] input) throws Exception {
        Allocation.check(parser, input);
    }

    static List<FuzzTargets> all() {
        return new ArrayList<>(List.of(values()));
    }
}
