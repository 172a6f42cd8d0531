package dev.lockstep.net;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.IDN;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Keys, trust and names of connections that speak the Java runtime's TLS. Stateless; any thread. */
public final class Tls {
    private static final char[] NO_PASSWORD = {};
    private static final int LONGEST_PROBLEM = 200;
    private static final int MAX_CAUSES = 16;
    /** Java's words for an alert in the clear, as OpenSSL sends it, where an encrypted one is due: two bytes. */
    private static final String CLEAR_ALERT = "Insufficient buffer remaining for AEAD cipher fragment (2)";

    private Tls() {}

    /** @param keys null to show no certificate */
    public static SSLContext context(KeyManager[] keys, TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust, null);
        return context;
    }

    /** Shows a certificate, the first of the chain. */
    public static KeyManager[] keys(PrivateKey key, List<X509Certificate> chain)
            throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry("key", key, NO_PASSWORD, chain.toArray(new X509Certificate[0]));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return keys.getKeyManagers();
    }

    /** Trusts these authorities and no others; those of the Java runtime where they are null. */
    public static TrustManager[] trust(List<X509Certificate> authorities) throws GeneralSecurityException, IOException {
        KeyStore store = null;
        if (authorities != null) {
            store = emptyStore();
            for (X509Certificate authority : authorities) {
                store.setCertificateEntry("authority" + store.size(), authority);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }

    /** Trusts any certificate. */
    public static TrustManager[] trustAnyone() {
        return InsecureTrustManagerFactory.INSTANCE.getTrustManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** Asks a server for a host (SNI), and unless {@code insecure} demands a certificate for it. */
    public static void askFor(String host, boolean insecure, SSLParameters parameters) {
        if (isName(host)) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        if (!insecure) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
    }

    /** Whether a host can be asked for by SNI: an address cannot. */
    public static boolean isName(String host) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            return false;
        }
        try {
            IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
            return !host.isEmpty() && !host.endsWith(".");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Says in one line why a handshake failed. Bytes that a peer sent instead of TLS are not shown, because they may be
     * secret.
     *
     * @param notTls what to say of a peer that sent something else than TLS
     * @param closed what to say of a peer that ended the connection without a word
     */
    public static String problem(Throwable failure, String notTls, String closed) {
        boolean certificate = false;
        Throwable root = failure;
        for (int depth = 0; depth < MAX_CAUSES; depth++) {
            if (root instanceof NotSslRecordException) {
                return notTls;
            }
            certificate |= root instanceof CertificateException;
            if (root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        if (root instanceof ClosedChannelException || root.getMessage() == null) {
            return closed;
        }
        if (root.getMessage().startsWith(CLEAR_ALERT)) {
            return "an alert broke the handshake off";
        }
        String reason = root.getMessage().replaceAll("[\\s\\p{Cntrl}]+", " ").trim();
        String text = certificate ? "its certificate is not trusted: " + reason : reason;
        return text.length() <= LONGEST_PROBLEM ? text : text.substring(0, LONGEST_PROBLEM) + "...";
    }
}
