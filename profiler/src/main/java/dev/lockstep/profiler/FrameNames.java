package dev.lockstep.profiler;

import dev.lockstep.results.CodeKind;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Turns what a recording says of a frame into a {@link StackFrame}. Random parts are cut out of names that a JVM makes
 * up at each start, so that the same code has one name in all targets.
 *
 * <p>The rules for async-profiler's frames follow its source ({@code lookup.cpp}, {@code profiler.cpp},
 * {@code stackWalker.cpp} of version 4.5): a native frame has the library in place of the class, or nothing when the
 * code is one of the VM's generated stubs; when a library has no symbol for an address, the library's path is the name;
 * a frame that could not be walked has the name of an error.
 */
final class FrameNames {
    /** JDK 8 has a hash in place of the address: "LambdaForm$MH/1099". */
    private static final Pattern HIDDEN_CLASS_ADDRESS = Pattern.compile("[/.+](0x[0-9a-f]+([/.][0-9]+)?|[0-9]+$)");

    private static final Pattern LAMBDA_NUMBER = Pattern.compile("\\$\\$Lambda.*");
    private static final Pattern GENERATED_NUMBER =
            Pattern.compile("(GeneratedMethodAccessor|GeneratedConstructorAccessor|\\$Proxy)[0-9]+");
    /** Netty unpacks its library under a name with a random number in it. */
    private static final Pattern UNPACKED_LIBRARY = Pattern.compile("(x86_64|aarch_64)[0-9]{5,}\\.so");

    /** HotSpot has an adapter for each signature: "I2C/C2I adapters(0xbba)". */
    private static final Pattern ADAPTER_SIGNATURE = Pattern.compile("\\(0x[0-9a-f]+\\)");

    private static final Set<String> ERRORS =
            Set.of(("unknown unknown_nmethod unknown_Java unknown_not_Java unknown_state not_walkable_Java "
                            + "not_walkable_not_Java no_Java_frame stale_jmethodID storage_overflow truncated "
                            + "deoptimization safepoint skipped GC_active thread_exit")
                    .split(" "));

    /** The kinds of Java code, by the words of recordings. */
    private static final Map<String, CodeKind> KINDS = Map.of(
            "Interpreted", CodeKind.INTERPRETED,
            "JIT compiled", CodeKind.COMPILED,
            "Inlined", CodeKind.INLINED,
            "C1 compiled", CodeKind.C1);

    private FrameNames() {}

    /**
     * Returns a frame of async-profiler's.
     *
     * @param type as recorded: "JIT compiled", "Native" and so on
     * @param owner the class, or the library of native code, or empty
     */
    static StackFrame asyncProfiler(String type, String owner, String method) {
        switch (type) {
            case "Kernel":
                return new StackFrame(method, CodeKind.KERNEL);
            case "C++":
                return new StackFrame(in(owner, method), CodeKind.NATIVE);
            case "Native":
                return nativeCode(owner, method);
            default:
                return KINDS.containsKey(type)
                        ? java(type, owner, method)
                        : new StackFrame(method.isEmpty() ? type : method, CodeKind.UNKNOWN);
        }
    }

    private static StackFrame nativeCode(String library, String name) {
        if (!library.isEmpty()) {
            return new StackFrame(in(library, name), CodeKind.NATIVE);
        }
        if (name.startsWith("/")) {
            return new StackFrame("code of " + shortLibrary(name), CodeKind.NATIVE);
        }
        if (name.isEmpty() || ERRORS.contains(name) || name.startsWith("break_") || name.startsWith("0x")) {
            return new StackFrame("code not known", CodeKind.UNKNOWN);
        }
        return new StackFrame(ADAPTER_SIGNATURE.matcher(name).replaceAll(""), CodeKind.STUB);
    }

    private static String in(String library, String name) {
        return library.isEmpty() ? name : name + " (" + shortLibrary(library) + ")";
    }

    private static String shortLibrary(String library) {
        String file = library.substring(library.lastIndexOf('/') + 1);
        return UNPACKED_LIBRARY.matcher(file).replaceAll("$1.so");
    }

    /** Returns a frame of the JVM's own flight recorder, which sees Java code only. */
    static StackFrame flightRecorder(String type, String owner, String method) {
        return type.equals("Native") ? new StackFrame(join(owner, method), CodeKind.NATIVE) : java(type, owner, method);
    }

    private static StackFrame java(String type, String owner, String method) {
        return new StackFrame(join(owner, method), KINDS.getOrDefault(type, CodeKind.UNKNOWN));
    }

    private static String join(String owner, String method) {
        String name = HIDDEN_CLASS_ADDRESS.matcher(owner.replace('/', '.')).replaceAll("");
        name = LAMBDA_NUMBER.matcher(name).replaceAll("\\$\\$Lambda");
        name = GENERATED_NUMBER.matcher(name).replaceAll("$1");
        return name.isEmpty() ? method : name + "." + method;
    }
}
