import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** The application of the launcher's tests: MODE PORT. Compiled by the tests, run by many kinds of JVM. */
public final class TestServer {
    static volatile long turns;
    static volatile boolean mortal;

    public static void main(String[] args) throws Exception {
        String mode = args[0];
        int port = Integer.parseInt(args[1]);
        switch (mode) {
            case "crash":
                System.out.println("about to fail");
                System.err.println("the last words");
                System.exit(7);
                break;
            case "silent":
                // The port opens, answers never come.
                ServerSocket silent = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
                System.out.println("silent on " + silent.getLocalPort());
                Thread.sleep(600_000);
                break;
            case "deaf":
                Thread.sleep(600_000);
                break;
            case "stubborn":
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        Thread.sleep(600_000);
                    } catch (InterruptedException e) {
                        // Stays stubborn.
                    }
                }));
                serve(port);
                break;
            case "busy":
                Thread burner = new Thread(() -> {
                    while (true) {
                        turns++;
                    }
                });
                burner.setDaemon(true);
                burner.start();
                serve(port);
                break;
            case "mortal":
                // Ends half a second after its first answer.
                mortal = true;
                serve(port);
                break;
            default:
                serve(port);
        }
    }

    private static void serve(int port) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
        server.createContext("/", exchange -> {
            byte[] answer;
            int status = 200;
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/turns")) {
                answer = Long.toString(turns).getBytes();
            } else if (path.equals("/environment")) {
                answer = (System.getenv("JAVA_HOME") + " " + System.getenv("TEST_PORT")).getBytes();
            } else if (path.equals("/allocate")) {
                for (int i = 0; i < 300_000; i++) {
                    kept = new byte[1000];
                }
                answer = "done".getBytes();
            } else if (path.equals("/allocated")) {
                com.sun.management.ThreadMXBean threads =
                        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
                long sum = 0;
                for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
                    sum += Math.max(0, bytes);
                }
                answer = Long.toString(sum).getBytes();
            } else if (path.equals("/run")) {
                // The query is a shell's command; {pid} in it is this process.
                String command = exchange.getRequestURI()
                        .getQuery()
                        .replace("{pid}", Long.toString(ProcessHandle.current().pid()));
                Process process = new ProcessBuilder("sh", "-c", command)
                        .redirectErrorStream(true)
                        .start();
                answer = process.getInputStream().readAllBytes();
            } else if (path.equals("/broken")) {
                answer = new byte[0];
                status = 503;
            } else if (path.equals("/eat")) {
                // Native memory, which no heap limit holds.
                for (int i = 0; i < 4096; i++) {
                    java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocateDirect(1 << 20);
                    for (int at = 0; at < buffer.capacity(); at += 4096) {
                        buffer.put(at, (byte) 1);
                    }
                    KEPT.add(buffer);
                }
                answer = "ate it all".getBytes();
            } else {
                answer = "ok".getBytes();
            }
            exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer);
            }
            if (mortal) {
                java.util.concurrent.locks.LockSupport.parkNanos(500_000_000);
                Runtime.getRuntime().halt(9);
            }
        });
        server.start();
        System.out.println("serving");
    }

    static final List<Object> KEPT = new ArrayList<>();

    static volatile byte[] kept;
}
