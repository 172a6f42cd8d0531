package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.results.CodeKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FrameNamesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Interpreted  | java.util.HashMap | get | java.util.HashMap.get | INTERPRETED",
                "C1 compiled  | java/util/HashMap | get | java.util.HashMap.get | C1",
                "JIT compiled | dev.lockstep.app.LuWork | factor | dev.lockstep.app.LuWork.factor | COMPILED",
                "Inlined      | dev.lockstep.app.LuWork | factor | dev.lockstep.app.LuWork.factor | INLINED",
                "Native | '' | sha256_implCompressMB | sha256_implCompressMB | STUB",
                "Native | '' | aescrypt_encryptBlock | aescrypt_encryptBlock | STUB",
                "Native | '' | montgomeryMultiply | montgomeryMultiply | STUB",
                "Native | '' | vtable stub | vtable stub | STUB",
                "Native | '' | I2C/C2I adapters(0xbba) | I2C/C2I adapters | STUB",
                "Native | '' | Interpreter | Interpreter | STUB",
                "Native | libc.so.6 | write | write (libc.so.6) | NATIVE",
                "Native | '' | /lib/x86_64-linux-gnu/libz.so.1 | code of libz.so.1 | NATIVE",
                "C++ | libjvm.so | G1ParScanThreadState::trim_queue | G1ParScanThreadState::trim_queue (libjvm.so) | NATIVE",
                "Kernel | kernel | do_syscall_64 | do_syscall_64 | KERNEL",
                "Native | '' | unknown | code not known | UNKNOWN",
                "Native | '' | break_not_walkable | code not known | UNKNOWN",
                "Native | '' | no_Java_frame | code not known | UNKNOWN",
                "Native | '' | 0x7f0012 | code not known | UNKNOWN",
                "Something new | a.B | c | c | UNKNOWN",
            })
    void saysWhatKindOfCodeAFrameOfAsyncProfilerIs(
            String type, String owner, String method, String name, CodeKind kind) {
        assertEquals(new StackFrame(name, kind), FrameNames.asyncProfiler(type, owner, method));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Inlined | java.util.HashMap | get | java.util.HashMap.get | INLINED",
                "Native | sun.nio.ch.EPoll | wait | sun.nio.ch.EPoll.wait | NATIVE",
            })
    void knowsThatTheJvmsOwnRecorderCallsJavaMethodsWithoutBytecodeNative(
            String type, String owner, String method, String name, CodeKind kind) {
        assertEquals(new StackFrame(name, kind), FrameNames.flightRecorder(type, owner, method));
    }

    @ParameterizedTest
    @CsvSource({
        "a.B$$Lambda$14/0x0000000800c8a440, a.B$$Lambda",
        "a.B$$Lambda.0x00007f8177090218, a.B$$Lambda",
        "a.B$$Lambda+0x00007f8177090218/543846639, a.B$$Lambda",
        "a.B$$Lambda$14/1099, a.B$$Lambda",
        "java.lang.invoke.LambdaForm$MH/0x0000000800c8a440, java.lang.invoke.LambdaForm$MH",
        "java/lang/invoke/LambdaForm$MH/1099, java.lang.invoke.LambdaForm$MH",
        "jdk.proxy2.$Proxy17, jdk.proxy2.$Proxy",
        "jdk.internal.reflect.GeneratedMethodAccessor12, jdk.internal.reflect.GeneratedMethodAccessor",
        "a.B$1, a.B$1",
    })
    void leavesOutWhatIsAnotherNumberInEachJvm(String owner, String name) {
        assertEquals(
                new StackFrame(name + ".run", CodeKind.COMPILED),
                FrameNames.asyncProfiler("JIT compiled", owner, "run"));
    }

    @ParameterizedTest
    @CsvSource({
        "libnetty_transport_native_epoll_x86_6412345678901234.so, libnetty_transport_native_epoll_x86_64.so",
        "libnetty_transport_native_epoll_aarch_648888888.so, libnetty_transport_native_epoll_aarch_64.so",
        "/tmp/libother_x86_64.so, libother_x86_64.so",
    })
    void leavesOutWhatNettyAddsToTheNameOfItsLibrary(String library, String name) {
        assertEquals(
                new StackFrame("f (" + name + ")", CodeKind.NATIVE), FrameNames.asyncProfiler("Native", library, "f"));
    }
}
