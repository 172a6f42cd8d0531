package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A network of its own on this machine, with a thread that is in it: the sockets that the thread makes are in this
 * network, whoever uses them. Needs root and the ip command of iproute2.
 */
final class NetworkNamespace implements AutoCloseable {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY = 0;

    private final String name;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread inside = new Thread(task, "network-namespace");
        inside.setDaemon(true);
        return inside;
    });

    private NetworkNamespace(String name) {
        this.name = name;
    }

    /** Makes a namespace, or skips the test with the reason. */
    static NetworkNamespace create(String suffix) throws Exception {
        String name = "lockstep-" + ProcessHandle.current().pid() + "-" + suffix;
        String refused;
        try {
            refused = run("ip", "netns", "add", name);
        } catch (IOException e) {
            refused = e.getMessage();
        }
        assumeTrue(refused == null, refused);
        NetworkNamespace namespace = new NetworkNamespace(name);
        try {
            namespace.call(() -> {
                int fd = Calls.open("/var/run/netns/" + name, O_RDONLY);
                Calls.setns(fd, CLONE_NEWNET);
                return LibC.close(fd);
            });
            namespace.ip("link", "set", "lo", "up");
            return namespace;
        } catch (Throwable t) {
            namespace.close();
            throw t;
        }
    }

    String name() {
        return name;
    }

    /** Runs the ip command in this namespace. */
    void ip(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 3];
        command[0] = "ip";
        command[1] = "-n";
        command[2] = name;
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        String refused = run(command);
        if (refused != null) {
            throw new IOException(refused);
        }
    }

    /** Calls on the thread that is in this namespace. */
    <T> T call(Callable<T> body) throws Exception {
        try {
            return thread.submit(body).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        thread.shutdown();
        run("ip", "netns", "del", name);
    }

    /** Returns null when the command succeeds, else what it says. */
    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        try {
            return process.waitFor() == 0 ? null : String.join(" ", command) + ": " + said.trim();
        } catch (InterruptedException e) {
            throw new IOException("interrupted while waiting for " + String.join(" ", command), e);
        }
    }

    /** Writes to a socket, a whole frame to a packet socket. */
    static long write(int fd, Pointer bytes, long count) {
        return Calls.write(fd, bytes, count);
    }

    /** What only tests call. */
    private static final class Calls {
        static {
            Native.register(Calls.class, "c");
        }

        private Calls() {}

        static native int open(String path, int flags) throws LastErrorException;

        static native long write(int fd, Pointer bytes, long count) throws LastErrorException;

        static native int setns(int fd, int type) throws LastErrorException;
    }
}
