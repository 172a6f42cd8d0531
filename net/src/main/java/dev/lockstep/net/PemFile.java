package dev.lockstep.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and a private key in a PEM file (RFC 7468), read with the JDK alone. The message of every exception is
 * one line for the user: the file, what was expected and found, what to do. Stateless; any thread.
 */
public final class PemFile {
    private static final int LARGEST_BYTES = 16 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private PemFile() {}

    /**
     * Reads all certificates of a file, which may hold other things too.
     *
     * @return at least one
     * @throws IOException when the file cannot be read or holds none
     */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text(file));
        try {
            while (blocks.find()) {
                if (blocks.group(1).equals("CERTIFICATE")) {
                    for (Certificate certificate : CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(bytes(blocks)))) {
                        certificates.add((X509Certificate) certificate);
                    }
                }
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + ": expected certificates in PEM, found what cannot be read as one: " + e.getMessage()
                            + "; give the file with BEGIN CERTIFICATE",
                    e);
        }
        if (certificates.isEmpty()) {
            throw new IOException(
                    file + ": expected a certificate in PEM, found none; give the file with BEGIN CERTIFICATE");
        }
        return certificates;
    }

    /**
     * Reads the private key of a certificate: PKCS #8, not encrypted.
     *
     * @param certificates where the certificate came from, for messages
     * @throws IOException when the file cannot be read or holds no such key
     */
    public static PrivateKey key(Path file, X509Certificate certificate, Path certificates) throws IOException {
        Matcher blocks = BLOCK.matcher(text(file));
        String found = "none";
        while (blocks.find()) {
            if (blocks.group(1).equals("PRIVATE KEY")) {
                String algorithm = certificate.getPublicKey().getAlgorithm();
                try {
                    PrivateKey key =
                            KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes(blocks)));
                    if (isKeyOf(certificate, key)) {
                        return key;
                    }
                } catch (GeneralSecurityException | IllegalArgumentException e) {
                    // Told below, like a key that can be read and is another's.
                }
                throw new IOException(file + ": expected the " + algorithm + " key of the first certificate in "
                        + certificates + ", found another one; give the certificate's own key");
            }
            if (blocks.group(1).endsWith("KEY")) {
                found = "BEGIN " + blocks.group(1);
            }
        }
        throw new IOException(
                file + ": expected a private key in PEM as BEGIN PRIVATE KEY (PKCS #8, not encrypted), found " + found
                        + "; convert it with: openssl pkey -in key.pem -out plain.pem");
    }

    /** Tells whether the certificate's public key verifies what the private key signs. */
    public static boolean isKeyOf(X509Certificate certificate, PrivateKey key) {
        PublicKey certified = certificate.getPublicKey();
        if (!certified.getAlgorithm().equals(key.getAlgorithm())) {
            return false;
        }
        try {
            Signature signature = Signature.getInstance(signatureBy(key));
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String signatureBy(PrivateKey key) {
        switch (key.getAlgorithm()) {
            case "EC":
                return "SHA256withECDSA";
            case "RSA":
                return "SHA256withRSA";
            default:
                return key.getAlgorithm(); // EdDSA names the signature too
        }
    }

    private static byte[] bytes(Matcher block) {
        return Base64.getMimeDecoder().decode(block.group(2));
    }

    /**
     * Returns the text of a file, a character for each byte.
     *
     * @throws IOException in one line, where it cannot be read, or is larger than any such file
     */
    public static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST_BYTES + 1);
            if (bytes.length > LARGEST_BYTES) {
                throw new IOException("more than " + LARGEST_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + FileFailure.reason(e) + "; check the path", e);
        }
    }
}
