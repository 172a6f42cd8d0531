package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.Pace;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A run needs the same memory however many intervals it has. */
@Tag("full")
class IntervalMemoryTest {
    private static final long MS = 1_000_000;
    /** The intervals between two looks at the heap; of a second each, they would be five minutes. */
    private static final int BETWEEN = 300;

    private static final int LOOKS = 12;

    @TempDir
    Path directory;

    @Test
    @Timeout(60)
    void intervalsLeaveNothingInMemory() throws Exception {
        try (Capture capture = TestingCapture.gets(directory, 10, MS);
                ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            answer(server);
            List<Long> heaps = new ArrayList<>();
            long[] intervals = {0};
            ReplayConfig config = ReplayConfig.builder(capture)
                    .connections(2)
                    .pace(Pace.rate(500))
                    .durationNs(50_000 * MS)
                    .intervals((target, interval) -> {
                        if (++intervals[0] % BETWEEN == 0) {
                            heaps.add(usedHeap());
                        }
                    })
                    .intervalNs(MS)
                    .build();
            try (Replayer replayer = Replayer.launchCold(config)) {
                TargetReplay target = replayer.addTarget("a", (InetSocketAddress) server.getLocalSocketAddress());
                replayer.measure(List.of(target), 0, 1, () -> {
                    if (heaps.size() >= LOOKS) {
                        replayer.stop();
                    }
                });
                replayer.finish();
                assertTrue(target.result().counts().completed > 0);
            }
            // The first look meets buffers and classes that are still being made, and any may meet what is just under
            // way, or miss a histogram that is not, which has 300 kB.
            assertTrue(heaps.size() >= LOOKS, intervals[0] + " intervals");
            long growth = Collections.min(heaps.subList(heaps.size() - 3, heaps.size()))
                    - Collections.max(heaps.subList(1, 7));
            assertTrue(growth < 100_000, "bytes in use after each " + BETWEEN + " intervals: " + heaps);
        }
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Answers every request on every connection and keeps nothing. */
    private static void answer(ServerSocket server) {
        daemon(() -> {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                daemon(() -> {
                    try (socket) {
                        InputStream in = socket.getInputStream();
                        byte[] ok = TestingServer.ok("ok");
                        int end = 0;
                        for (int b; (b = in.read()) >= 0; ) {
                            end = b == '\r' || b == '\n' ? end + 1 : 0;
                            if (end == 4) {
                                socket.getOutputStream().write(ok);
                                end = 0;
                            }
                        }
                    }
                });
            }
        });
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // The test is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
