package dev.lockstep.live;

import dev.lockstep.exporter.LoopbackHost;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Says who may see a run and end it: the browser that came first with the token, which is in the printed address and
 * good for one visit. It gets a secret of its own for a cookie. Used by one thread.
 *
 * <p>Other users of the machine lack both. Web pages of others in the same browser have the cookie sent for them where
 * they are on another port of this machine, so what they ask for is refused by its {@code Origin}.
 */
final class Admission {
    private static final int SECRET_BYTES = 24;

    private final String token = secret();
    private final String session = secret();
    private InetSocketAddress address;
    private boolean used;

    private static String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Sets where the server listens, once that is known and before the first request. */
    void listensOn(InetSocketAddress found) {
        address = found;
    }

    /** Returns what the printed address holds. */
    String token() {
        return token;
    }

    /** Returns the value of the cookie. */
    String session() {
        return session;
    }

    /** Returns the name of the cookie, which browsers do not keep apart by port. */
    String cookie() {
        return "lockstep-live-" + address.getPort();
    }

    /** Says whether a request is meant for this server: by the name that it was sent to, null where it has none. */
    boolean isForUs(String host) {
        return host != null && LoopbackHost.mayAsk(address, host);
    }

    /**
     * Says whether a request comes from a page of this server, or from no page.
     *
     * @param origin null where it has none, as a visit by the printed address
     */
    boolean isOwn(String host, String origin) {
        return origin == null || origin.equals("http://" + host);
    }

    /** Says whether a visitor has the token, which is used up by that; null for none. */
    boolean enters(String given) {
        boolean enters = !used && given != null && equal(token, given);
        used |= enters;
        return enters;
    }

    /** Says whether a visitor has entered before, by the cookie; null for none. */
    boolean isKnown(String given) {
        return given != null && equal(session, given);
    }

    /** Compares in a time that does not tell how much is right. */
    private static boolean equal(String secret, String given) {
        return MessageDigest.isEqual(secret.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
