package dev.lockstep.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class TlsTest {
    /** As curl and Python send it for a certificate that they do not trust. */
    @Test
    void saysOfAnAlertInTheClearThatItIsOne() {
        SSLException failure = new SSLException(
                "Insufficient buffer remaining for AEAD cipher fragment (2). Needs to be more than tag size (16)");

        assertEquals(
                "an alert broke the handshake off",
                Tls.problem(new IllegalStateException(failure), "not TLS", "closed"));
        assertEquals("no cipher suites in common", Tls.problem(new SSLException("no cipher suites in common"), "", ""));
    }
}
