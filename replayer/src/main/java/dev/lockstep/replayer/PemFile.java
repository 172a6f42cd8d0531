package dev.lockstep.replayer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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

/** Reads certificates and a private key from PEM files (RFC 7468) with the JDK alone. Stateless; any thread. */
final class PemFile {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private PemFile() {}

    /**
     * Reads all certificates of a file, which may hold other things too.
     *
     * @throws ReplayException when the file cannot be read or holds none
     */
    static List<X509Certificate> certificates(Path file) {
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
            throw new ReplayException(
                    file + ": expected certificates in PEM, found what cannot be read as one: " + e.getMessage()
                            + "; give the file with BEGIN CERTIFICATE",
                    e);
        }
        if (certificates.isEmpty()) {
            throw new ReplayException(
                    file + ": expected a certificate in PEM, found none; give the file with BEGIN CERTIFICATE");
        }
        return certificates;
    }

    /**
     * Reads the private key of a certificate.
     *
     * @param certificates where the certificate came from
     * @throws ReplayException when the file cannot be read or holds no such key
     */
    static PrivateKey key(Path file, X509Certificate certificate, Path certificates) {
        Matcher blocks = BLOCK.matcher(text(file));
        String found = "none";
        while (blocks.find()) {
            if (blocks.group(1).equals("PRIVATE KEY")) {
                String algorithm = certificate.getPublicKey().getAlgorithm();
                try {
                    PrivateKey key =
                            KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes(blocks)));
                    if (belongTogether(key, certificate.getPublicKey())) {
                        return key;
                    }
                } catch (GeneralSecurityException | IllegalArgumentException e) {
                    // Told below, like a key that can be read and is another's.
                }
                throw new ReplayException(file + ": expected the " + algorithm + " key of the first certificate in "
                        + certificates + ", found another one; give the certificate's own key");
            }
            if (blocks.group(1).endsWith("KEY")) {
                found = "BEGIN " + blocks.group(1);
            }
        }
        throw new ReplayException(
                file + ": expected a private key in PEM as BEGIN PRIVATE KEY (PKCS #8, not encrypted), found " + found
                        + "; convert it with: openssl pkey -in key.pem -out plain.pem");
    }

    /** Tells whether what the private key signs is what the public key verifies. */
    private static boolean belongTogether(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(signatureBy(key));
        signature.initSign(key);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        return signature.verify(signed);
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

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new ReplayException(
                    "cannot read " + file + ": "
                            + (e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage()))
                            + "; check the path",
                    e);
        }
    }
}
