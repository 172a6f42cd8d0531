package dev.lockstep.recorder;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** The calls of the C library that packet sockets need, on 64-bit Linux. Loading this class loads JNA's native part. */
final class LibC {
    static final int EPERM = 1;
    static final int EINTR = 4;
    static final int ENODEV = 19;
    static final int ENETDOWN = 100;

    static final int CLOCK_REALTIME = 0;

    static {
        Native.register(LibC.class, "c");
    }

    private LibC() {}

    static native int socket(int domain, int type, int protocol) throws LastErrorException;

    static native int bind(int fd, Pointer address, int addressBytes) throws LastErrorException;

    static native int getsockname(int fd, Pointer address, Pointer addressBytes) throws LastErrorException;

    static native int setsockopt(int fd, int level, int option, Pointer value, int valueBytes)
            throws LastErrorException;

    static native int getsockopt(int fd, int level, int option, Pointer value, Pointer valueBytes)
            throws LastErrorException;

    static native Pointer mmap(Pointer at, long bytes, int protection, int flags, int fd, long offset)
            throws LastErrorException;

    static native int munmap(Pointer at, long bytes) throws LastErrorException;

    static native int poll(Pointer polls, long count, int timeoutMs) throws LastErrorException;

    static native int close(int fd) throws LastErrorException;

    /** Variadic in C, where 64-bit Linux passes the third argument like any other. */
    static native int ioctl(int fd, long request, Pointer value) throws LastErrorException;

    static native int if_nametoindex(String name) throws LastErrorException;

    static native int clock_gettime(int clock, Pointer time) throws LastErrorException;

    static native String strerror(int error);
}
