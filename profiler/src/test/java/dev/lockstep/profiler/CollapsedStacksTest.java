package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.measurement.CodeKind;
import java.io.IOException;
import java.io.StringReader;
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
    void areReadAsTheyWereWritten() throws IOException {
        StackProfile profile = CollapsedStacks.read(new StringReader(TEXT));

        assertEquals(102, profile.samples());
        assertEquals(TEXT, write(profile));
        assertEquals(
                Map.of(
                        new Frame("[GC threads]", CodeKind.VM_THREADS), 7L,
                        new Frame("a.B.handle", CodeKind.C1), 3L,
                        new Frame("a.C.get", CodeKind.INLINED), 40L,
                        new Frame("sha256_implCompressMB", CodeKind.STUB), 50L,
                        new Frame("do_syscall_64", CodeKind.KERNEL), 2L),
                profile.self());
    }

    @Test
    void keepTheirFormWhateverForeignNamesHold() throws IOException {
        StackProfile profile = new StackProfile();
        profile.add(
                ThreadRole.APPLICATION,
                List.of(
                        new Frame("evil; name\n7\u001b[31m\u202e", CodeKind.COMPILED),
                        new Frame("a b", CodeKind.COMPILED)),
                2);

        assertEquals("evil, name?7?[31m?_[j];a b_[j] 2\n", write(profile));
        assertEquals(2, CollapsedStacks.read(new StringReader(write(profile))).samples());
    }

    @Test
    void areScaledAndRounded() throws IOException {
        StackProfile profile = CollapsedStacks.read(new StringReader("a.B.c_[j] 3\na.B.d_[j] 1\n"));
        StringBuilder out = new StringBuilder();

        CollapsedStacks.write(profile, 0.4, out);

        assertEquals("a.B.c_[j] 1\n", out.toString());
    }

    @Test
    void areRefusedWithTheLineThatIsWrong() {
        ProfilerException e =
                assertThrows(ProfilerException.class, () -> CollapsedStacks.read(new StringReader("a;b 1\n\na;b x\n")));

        assertEquals(
                "line 3: expected frames joined by semicolons, a blank and a number of samples, found 'a;b x'",
                e.getMessage());
    }
}
