package dev.lockstep.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/**
 * A process that answers every request and closes connections that are idle for too long, as Tomcat does after 20 s.
 * Arguments: port, how long in ms.
 */
public final class TestingIdleServer {
    private TestingIdleServer() {}

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(Integer.parseInt(args[0]), 100, InetAddress.getLoopbackAddress());
        while (true) {
            Socket socket = server.accept();
            socket.setSoTimeout(Integer.parseInt(args[1]));
            socket.setTcpNoDelay(true);
            Thread thread = new Thread(() -> serve(socket));
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void serve(Socket socket) {
        try (socket;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            byte[] answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    socket.getOutputStream().write(answer);
                }
            }
        } catch (SocketTimeoutException e) {
            // Idle for too long: it is closed.
        } catch (IOException e) {
            // The client closed it.
        }
    }
}
