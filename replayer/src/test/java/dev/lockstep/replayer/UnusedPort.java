package dev.lockstep.replayer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of loopback on which nobody listens: whoever connects is refused. It is kept bound while this is open, so that
 * nobody else on the machine is given it, the one who connects included.
 */
final class UnusedPort implements AutoCloseable {
    private final Socket bound = new Socket();

    UnusedPort() throws IOException {
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
