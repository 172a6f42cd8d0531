package dev.lockstep.live;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A run cannot be shown live: one line with what, where, what was expected and found, and what to do. */
public final class LiveException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private LiveException(String message, Throwable cause) {
        super(message, cause);
    }

    static LiveException cannotListen(InetSocketAddress address, IOException e) {
        return new LiveException(
                "--live: cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + e.getMessage()
                        + "; choose another port",
                e);
    }
}
