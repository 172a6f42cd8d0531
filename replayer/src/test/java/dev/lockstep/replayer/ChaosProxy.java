package dev.lockstep.replayer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that does to each connection what a bad network or server may do, chosen by a seed: what happens to the
 * n-th connection, and after how many bytes, depends on the seed and n only. Now and then it does not listen for a
 * moment.
 */
final class ChaosProxy implements AutoCloseable {
    private enum Mischief {
        NONE,
        DELAY,
        RESET,
        TRUNCATE,
        GARBLE,
        DUPLICATE,
        STALL,
        HALF_CLOSE,
        RESET_AT_ONCE,
        NEVER_READ
    }

    private static final int BACKLOG = 128;

    private final InetSocketAddress target;
    private final long seed;
    private final AtomicInteger accepted = new AtomicInteger();
    private final Map<Mischief, AtomicInteger> done = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int port;
    private volatile ServerSocket server;
    private volatile boolean closed;

    ChaosProxy(InetSocketAddress target, long seed) throws IOException {
        this.target = target;
        this.seed = seed;
        server = listen(0);
        port = server.getLocalPort();
        daemon(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns how often each mischief was done, for people. */
    String done() {
        return done.toString();
    }

    private static ServerSocket listen(int port) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        return server;
    }

    private void accept() {
        Random random = new Random(seed);
        while (!closed) {
            try {
                int number = accepted.getAndIncrement();
                if (number > 0 && random.nextInt(12) == 0) {
                    server.close();
                    Thread.sleep(random.nextInt(60));
                    server = listen(port);
                }
                Socket client = server.accept();
                sockets.add(client);
                Random own = new Random(seed * 31 + number);
                daemon(() -> serve(client, own));
            } catch (IOException | InterruptedException e) {
                // Closed by the test, or the port is still being given back: tried again.
            }
        }
    }

    private void serve(Socket client, Random random) {
        Mischief mischief =
                random.nextInt(3) == 0 ? Mischief.NONE : Mischief.values()[random.nextInt(Mischief.values().length)];
        done.computeIfAbsent(mischief, key -> new AtomicInteger()).incrementAndGet();
        // An answer of the test's server has 40 bytes: the mischief comes within the first few, often within one.
        long after = random.nextInt(200);
        try (client;
                Socket upstream = new Socket(target.getAddress(), target.getPort())) {
            sockets.add(upstream);
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            if (mischief == Mischief.RESET_AT_ONCE) {
                client.setSoLinger(true, 0);
                return;
            }
            Thread requests = daemon(() -> {
                if (mischief != Mischief.NEVER_READ) {
                    copyRequests(client, upstream);
                }
            });
            copyAnswers(upstream, client, mischief, after, random);
            if (mischief == Mischief.HALF_CLOSE) {
                client.shutdownOutput();
                requests.join(200);
            }
        } catch (IOException | InterruptedException e) {
            // Either side went away, which is what this is for.
        }
    }

    private static void copyRequests(Socket client, Socket upstream) {
        byte[] buffer = new byte[4096];
        try {
            InputStream in = client.getInputStream();
            for (int read; (read = in.read(buffer)) >= 0; ) {
                upstream.getOutputStream().write(buffer, 0, read);
            }
            upstream.shutdownOutput();
        } catch (IOException e) {
            // The other direction ends too.
        }
    }

    private void copyAnswers(Socket upstream, Socket client, Mischief mischief, long after, Random random)
            throws IOException, InterruptedException {
        byte[] buffer = new byte[1 + random.nextInt(512)];
        InputStream in = upstream.getInputStream();
        OutputStream out = client.getOutputStream();
        long left = after;
        for (int read; (read = in.read(buffer)) >= 0; left -= read) {
            if (mischief == Mischief.NONE || left >= read || left < 0) {
                out.write(buffer, 0, read);
                continue;
            }
            int at = (int) left;
            switch (mischief) {
                case DELAY:
                    Thread.sleep(random.nextInt(40));
                    out.write(buffer, 0, read);
                    break;
                case GARBLE:
                    buffer[at] ^= (byte) (1 + random.nextInt(255));
                    out.write(buffer, 0, read);
                    break;
                case DUPLICATE:
                    out.write(buffer, 0, read);
                    out.write(buffer, at, read - at);
                    break;
                case STALL:
                    out.write(buffer, 0, at);
                    while (!closed && client.getInputStream().available() >= 0) {
                        Thread.sleep(20);
                    }
                    return;
                case RESET:
                    out.write(buffer, 0, at);
                    client.setSoLinger(true, 0);
                    return;
                default:
                    out.write(buffer, 0, at);
                    return;
            }
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "chaos");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (SocketException e) {
                // It was closed already.
            }
        }
    }
}
