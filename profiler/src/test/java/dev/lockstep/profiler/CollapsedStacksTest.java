package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.results.CodeKind;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CollapsedStacksTest {
    private static final String TEXT = "[GC threads];G1Full::mark (libjvm.so) 7\n"
            + "java.lang.Thread.run_[0];a.B.handle_[1] 3\n"
            + "java.lang.Thread.run_[0];a.B.handle_[j];a.C.get_[i] 40\n"
            + "java.lang.Thread.run_[0];a.B.handle_[j];sha256_implCompressMB_[s] 50\n"
            + "java.lang.Thread.run_[0];write (libc.so.6);do_syscall_64_[k] 2\n";

    private static String write(StackProfile profile) throws IOException {
        StringBuilder out = new StringBuilder();
        profile.writeStacks(out);
        return out.toString();
    }

    @Test
    void haveTheKindOfEachFrameBehindItsName() throws IOException {
        StackProfile profile = TestingStacks.profile(TEXT);

        assertEquals(102, profile.samples());
        assertEquals(TEXT, write(profile));
        assertEquals(
                Map.of(
                        new StackFrame("[GC threads]", CodeKind.VM_THREADS), 7L,
                        new StackFrame("a.B.handle", CodeKind.C1), 3L,
                        new StackFrame("a.C.get", CodeKind.INLINED), 40L,
                        new StackFrame("sha256_implCompressMB", CodeKind.STUB), 50L,
                        new StackFrame("do_syscall_64", CodeKind.KERNEL), 2L),
                profile.self());
    }

    @Test
    void markWhatNobodyCouldName() throws IOException {
        StackProfile profile = new StackProfile();
        profile.add(ThreadRole.APPLICATION, List.of(), 2);

        assertEquals("code not known_[u] 2\n", write(profile));
    }

    @Test
    void keepTheirFormWhateverForeignNamesHold() throws IOException {
        StackProfile profile = new StackProfile();
        profile.add(
                ThreadRole.APPLICATION,
                List.of(
                        new StackFrame("evil; name\n7\u001b[31m\u202e", CodeKind.COMPILED),
                        new StackFrame("a b", CodeKind.COMPILED)),
                2);

        assertEquals("evil, name?7?[31m?_[j];a b_[j] 2\n", write(profile));
        assertEquals(2, TestingStacks.profile(write(profile)).samples());
    }
}
