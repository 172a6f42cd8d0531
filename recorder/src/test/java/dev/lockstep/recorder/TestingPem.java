package dev.lockstep.recorder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;

/** PEM files of identities. */
final class TestingPem {
    private TestingPem() {}

    static Path certificate(TlsIdentity identity, Path file) throws IOException, CertificateEncodingException {
        return write(file, "CERTIFICATE", identity.certificates().get(0).getEncoded());
    }

    static Path key(TlsIdentity identity, Path file) throws IOException {
        return write(file, "PRIVATE KEY", identity.key().getEncoded());
    }

    private static Path write(Path file, String kind, byte[] bytes) throws IOException {
        String text = "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
        return Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
    }
}
