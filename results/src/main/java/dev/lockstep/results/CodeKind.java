package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What kind of code a sample of a profile met. */
public enum CodeKind {
    /** Java bytecode in the interpreter. */
    INTERPRETED("interpreted", "_[0]"),
    /** Java compiled by HotSpot's quick compiler. */
    C1("C1", "_[1]"),
    /** Java compiled by the JIT that is compared: C2, Graal, OpenJ9's, Falcon. */
    COMPILED("compiled", "_[j]"),
    /** Java that the compiler put into the code of its caller. */
    INLINED("inlined", "_[i]"),
    /** Code of the VM's own making that compiled Java calls, such as its intrinsics for AES or SHA. */
    STUB("stub", "_[s]"),
    /** C or C++ of the JVM and of other libraries. */
    NATIVE("native", ""),
    /** The operating system on behalf of the target. */
    KERNEL("kernel", "_[k]"),
    /** Any code on threads that compile, collect garbage or serve the VM otherwise. */
    VM_THREADS("VM threads", ""),
    /** Code that the profiler could not name. */
    UNKNOWN("unknown", "_[u]");

    private final String label;
    private final String mark;

    CodeKind(String label, String mark) {
        this.label = label;
        this.mark = mark;
    }

    /** Returns the words for people. */
    public String label() {
        return label;
    }

    /** Returns what stands behind the name of such a frame in {@code .collapsed} files; empty for nothing. */
    public String mark() {
        return mark;
    }

    /** Returns the kind whose mark a frame has; absent for one without a mark. */
    public static Optional<CodeKind> ofMarked(String frame) {
        return Arrays.stream(values())
                .filter(kind -> !kind.mark.isEmpty() && frame.endsWith(kind.mark))
                .findFirst();
    }

    /** Whether its methods are Java's, with packages in their names. */
    public boolean isJava() {
        return this == INTERPRETED || this == C1 || this == COMPILED || this == INLINED;
    }

    /** Returns the word in files. */
    @JsonValue
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    static CodeKind parse(String key) {
        // A result is read by older versions too.
        return Keys.find(values(), CodeKind::key, key).orElse(UNKNOWN);
    }
}
