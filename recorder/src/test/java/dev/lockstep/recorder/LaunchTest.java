package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LaunchTest {
    private static final InetSocketAddress UPSTREAM = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    @TempDir
    Path directory;

    @Test
    void saysThatThePortIsTakenAndTouchesNoFile() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();

            RecorderException e = assertThrows(RecorderException.class, () -> launch(address, UPSTREAM));

            assertEquals(
                    "cannot listen on 127.0.0.1:" + address.getPort()
                            + ": the port is taken; stop the program that has it, or listen on another port",
                    e.getMessage());
        }
        assertFalse(Files.exists(file()));
    }

    @Test
    void saysThatTheAddressIsNotOfThisMachine() {
        // TEST-NET-1 of RFC 5737 is nobody's.
        RecorderException e =
                assertThrows(RecorderException.class, () -> launch(new InetSocketAddress("192.0.2.1", 0), UPSTREAM));

        assertEquals(
                "cannot listen on 192.0.2.1:0: this machine does not have the address; listen on one of its own",
                e.getMessage());
    }

    @Test
    void saysThatAHostIsUnknown() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 80);

        RecorderException upstream = assertThrows(RecorderException.class, () -> launch(anyPort(), unknown));
        assertEquals(
                "cannot resolve the upstream host 'no-such-host.invalid': unknown host; check the name, or give an IP"
                        + " address",
                upstream.getMessage());
        RecorderException listen = assertThrows(RecorderException.class, () -> launch(unknown, UPSTREAM));
        assertTrue(listen.getMessage().startsWith("cannot resolve the listen host"), listen.getMessage());
        assertFalse(Files.exists(file()));
    }

    @Test
    void resolvesAnUpstreamThatIsGivenByName() {
        launch(anyPort(), InetSocketAddress.createUnresolved("localhost", 1)).close();
    }

    @Test
    void leavesAnExistingFileAndThePortAloneWhenNotToldToOverwrite() throws Exception {
        byte[] old = {1, 2, 3};
        Files.write(file(), old);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);

        assertThrows(CaptureException.class, () -> launch(listen, UPSTREAM));

        assertArrayEquals(old, Files.readAllBytes(file()));
        assertThrows(ConnectException.class, () -> new Socket(listen.getAddress(), port).close());
        RecordingProxy.launch(RecordingConfig.builder()
                        .listen(listen)
                        .upstream(UPSTREAM)
                        .capture(file())
                        .overwrite(true)
                        .build())
                .close();
        assertTrue(Files.size(file()) > old.length);
    }

    private RecordingProxy launch(InetSocketAddress listen, InetSocketAddress upstream) {
        return RecordingProxy.launch(RecordingConfig.builder()
                .listen(listen)
                .upstream(upstream)
                .capture(file())
                .build());
    }

    private Path file() {
        return directory.resolve("capture.bin");
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }
}
