package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EchoServerTest {
    @Test
    void sendsBackEveryByteOverEpoll() throws Exception {
        sendsBackEveryByte("--native-transport");
    }

    @Test
    void sendsBackEveryByteOverNio() throws Exception {
        sendsBackEveryByte("--no-native-transport");
    }

    private static void sendsBackEveryByte(String transport) throws Exception {
        long seed = System.nanoTime();
        byte[] bytes = new byte[8 << 20];
        new Random(seed).nextBytes(bytes);
        TestingLeaks leaks = new TestingLeaks();
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--echo=0", "--instances=1", transport));
                TestingConnection echo = TestingConnection.to(app.echoPort())) {
            Thread sender = new Thread(() -> {
                try {
                    echo.send(bytes);
                    echo.socket().shutdownOutput();
                } catch (IOException e) {
                    // Then fewer bytes come back.
                }
            });
            sender.start();
            assertArrayEquals(bytes, echo.rest(), "seed " + seed);
            sender.join();
        }
        leaks.close();
    }

    @Test
    void answersEachMessageAtOnce() throws IOException {
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--echo=0", "--instances=1"));
                TestingConnection echo = TestingConnection.to(app.echoPort())) {
            byte[] message = new byte[256];
            for (int i = 0; i < 100; i++) {
                message[0] = (byte) i;
                echo.send(message);
                assertArrayEquals(message, echo.socket().getInputStream().readNBytes(message.length));
            }
        }
    }

    @Test
    void stopsReadingFromAClientThatDoesNotRead() throws Exception {
        try (TargetApp app = TargetApp.launch(AppOptions.parse("--port=0", "--echo=0", "--instances=1"));
                Socket slow = new Socket()) {
            slow.setReceiveBufferSize(4_096);
            slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), app.echoPort()));
            long[] sent = new long[1];
            Thread sender = new Thread(() -> {
                byte[] block = new byte[65_536];
                try {
                    while (sent[0] < 1L << 30) {
                        slow.getOutputStream().write(block);
                        sent[0] += block.length;
                    }
                } catch (IOException e) {
                    // The test ends by closing the socket.
                }
            });
            sender.start();
            long before = -1;
            while (sent[0] != before) {
                before = sent[0];
                try (TestingConnection other = TestingConnection.to(app.echoPort())) {
                    for (int i = 0; i < 300; i++) {
                        assertEquals(
                                7,
                                other.send(new byte[] {7})
                                        .socket()
                                        .getInputStream()
                                        .read());
                    }
                }
            }
            assertTrue(before < 1L << 30, before + " bytes were taken");
        }
    }
}
