package dev.lockstep.tweets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TweetServerTest {
    @Test
    void answersFramesOfBinaryThrift() throws Exception {
        TweetStore store = new TweetStore(9, 30, 100);
        TweetService service = new TweetService(store);
        Load load = new Load(new TweetStore(9, 30, 0), Load.Kind.TWEETS, 1, 0, 1);
        try (TweetServer server = TweetServer.launch(
                        new TweetStore(9, 30, 100), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, 2);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int i = 0; i < 30; i++) {
                Call call = load.next();
                byte[] message = RoundTripTest.bytes(call::write);
                out.writeInt(message.length);
                out.write(message);
                byte[] answer = new byte[in.readInt()];
                in.readFully(answer);
                assertArrayEquals(
                        RoundTripTest.bytes(to -> service.answer(call).write(to, call)), answer, call.function());
            }
        }
    }

    @Test
    void refusesABadCommandLine() {
        Map<String, String> defaults = Map.of("port", "9090");

        assertEquals(7, Options.parse(defaults, "--port=7").port());
        assertEquals(
                "--port must be a whole number from 0 to 65535, not 'x'",
                assertThrows(IllegalArgumentException.class, () -> Options.parse(defaults, "--port", "x")
                                .port())
                        .getMessage());
        assertEquals(
                "--port needs a value",
                assertThrows(IllegalArgumentException.class, () -> Options.parse(defaults, "--port"))
                        .getMessage());
        assertEquals(
                "unknown option '--prot'; known are --port",
                assertThrows(IllegalArgumentException.class, () -> Options.parse(defaults, "--prot", "1"))
                        .getMessage());
    }
}
