package dev.lockstep.net;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;

/** The C library's calls that place threads, on Linux. Loading this class loads JNA's native part. */
final class ThreadCalls {
    static final int PRIO_PROCESS = 0;
    static final int EPERM = 1;
    static final int ESRCH = 3;
    static final int EACCES = 13;
    static final int EINVAL = 22;

    static {
        Native.register(ThreadCalls.class, "c");
    }

    private ThreadCalls() {}

    /** @param mask a bit for each processor, in the order of the bytes of longs as the kernel lays them out */
    static native int sched_setaffinity(int threadId, NativeLong maskBytes, long[] mask) throws LastErrorException;

    /** Fills the mask with the thread's processors; it must have room for all that the kernel can have. */
    static native int sched_getaffinity(int threadId, NativeLong maskBytes, long[] mask) throws LastErrorException;

    /** On Linux the priority is the thread's, not the process's. */
    static native int setpriority(int which, int threadId, int nice) throws LastErrorException;
}
