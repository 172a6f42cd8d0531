package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.ConnectionDetails;
import dev.lockstep.net.Transport;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A proxy in front of a server, and the capture it writes. */
@Timeout(60)
abstract class ProxyFixture {
    @TempDir
    Path directory;

    TestingServer server;
    RecordingProxy proxy;

    @AfterEach
    void leavesNoBufferBehind() throws Exception {
        if (proxy != null) {
            proxy.close();
        }
        if (server != null) {
            server.close();
        }
        assertEquals(0, PooledByteBufAllocator.DEFAULT.pinnedDirectMemory());
    }

    RecordingConfig.Builder config() {
        return config(server.address());
    }

    RecordingConfig.Builder config(InetSocketAddress upstream) {
        return RecordingConfig.builder()
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .upstream(upstream)
                .capture(captureFile());
    }

    void launch(String transport, RecordingConfig.Builder config) {
        proxy = RecordingProxy.launch(
                config.build(), transport.equals("nio") ? Transport.nio("for the test") : Transport.best());
    }

    Socket connect() throws IOException {
        return TestingClient.connect(proxy.boundAddress());
    }

    Capture closeAndOpen() {
        awaitTrue(() -> proxy.status().openConnections() == 0);
        proxy.close();
        return Capture.open(captureFile());
    }

    Path captureFile() {
        return directory.resolve("capture.bin");
    }

    static ConnectionDetails details(Capture capture) {
        try (CaptureReader reader = CaptureReader.open(capture.path())) {
            return reader.next().connectionStart().details();
        }
    }
}
