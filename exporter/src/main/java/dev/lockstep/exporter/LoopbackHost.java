package dev.lockstep.exporter;

import java.net.InetSocketAddress;
import java.util.regex.Pattern;

/**
 * Guards a server on a loopback address: only requests to it by number or as {@code localhost} may be answered. A web
 * page that had its own name point here could otherwise read what is served through its visitor's browser.
 */
public final class LoopbackHost {
    /** What to tell whoever is refused. */
    public static final String EXPECTED = "ask for it as localhost or by the number of its address";

    /** A name, or an address by number, without or with a port. */
    private static final Pattern LOCAL =
            Pattern.compile("(localhost|[0-9.]+|\\[[0-9a-f:.]+])(:[0-9]*)?", Pattern.CASE_INSENSITIVE);

    private LoopbackHost() {}

    /**
     * Says whether a request may be answered.
     *
     * @param address on which the server listens; if that is not loopback, a request may use any name
     * @param host the request's header field
     */
    public static boolean mayAsk(InetSocketAddress address, String host) {
        return !address.getAddress().isLoopbackAddress() || LOCAL.matcher(host).matches();
    }
}
