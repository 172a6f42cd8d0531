package dev.lockstep.recorder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** The certificate chain and the private key that the proxy shows to TLS clients. Immutable; any thread. */
public final class TlsIdentity {
    private static final Duration SELF_SIGNED_FOR = Duration.ofDays(30);
    private static final Duration CLOCK_SKEW = Duration.ofDays(1);

    private final PrivateKey key;
    private final X509Certificate[] chain;
    private final boolean selfSigned;

    private TlsIdentity(PrivateKey key, X509Certificate[] chain, boolean selfSigned) {
        this.key = key;
        this.chain = chain;
        this.selfSigned = selfSigned;
    }

    /**
     * Reads an identity from PEM files.
     *
     * @param certificateChain the server's certificate first, then those that sign it
     * @param privateKey the certificate's key, PKCS #8 or the traditional RSA and EC forms, not encrypted; may be the
     *     same file
     * @throws RecorderException when a file cannot be read or does not hold that, or the two do not belong together
     */
    public static TlsIdentity read(Path certificateChain, Path privateKey) {
        X509Certificate[] chain = readCertificates(certificateChain);
        PrivateKey key = readKey(privateKey);
        if (!belongTogether(key, chain[0].getPublicKey())) {
            throw new RecorderException(
                    privateKey + ": expected the key of the first certificate in " + certificateChain
                            + ", found another one (" + key.getAlgorithm() + "); give the certificate's own key",
                    null);
        }
        return new TlsIdentity(key, chain, false);
    }

    /**
     * Makes a new key and a certificate that is signed by itself, for trials: no client trusts it unless told to.
     *
     * @param names the host names and IP addresses that the certificate is for; at least one
     */
    public static TlsIdentity selfSigned(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("names must have at least one host name or IP address, got none");
        }
        try {
            SecureRandom random = new SecureRandom();
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair pair = generator.generateKeyPair();
            X500Name issuer = new X500Name("CN=Lockstep trial certificate");
            Instant now = Instant.now();
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    issuer,
                    new BigInteger(120, random),
                    Date.from(now.minus(CLOCK_SKEW)),
                    Date.from(now.plus(SELF_SIGNED_FOR)),
                    issuer,
                    pair.getPublic());
            GeneralName[] subjects = new GeneralName[names.length];
            for (int i = 0; i < names.length; i++) {
                subjects[i] =
                        new GeneralName(isAddress(names[i]) ? GeneralName.iPAddress : GeneralName.dNSName, names[i]);
            }
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(subjects));
            X509Certificate certificate = new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
            return new TlsIdentity(pair.getPrivate(), new X509Certificate[] {certificate}, true);
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new RecorderException(
                    "cannot make a self-signed certificate for " + String.join(", ", names) + ": " + e.getMessage()
                            + "; give a certificate and its key in files",
                    e);
        }
    }

    /** Returns the certificates, the server's first. */
    public List<X509Certificate> certificates() {
        return List.of(chain);
    }

    /** Tells whether this was made by {@link #selfSigned}, so that no client trusts it unless told to. */
    public boolean isSelfSigned() {
        return selfSigned;
    }

    PrivateKey key() {
        return key;
    }

    /** Reads the certificates of a PEM file, at least one. */
    static X509Certificate[] readCertificates(Path file) {
        try {
            List<X509Certificate> certificates = new ArrayList<>();
            for (Certificate certificate : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(withoutKeys(file)))) {
                certificates.add((X509Certificate) certificate);
            }
            if (certificates.isEmpty()) {
                throw new RecorderException(
                        file + ": expected a certificate in PEM, found none; give the file with BEGIN CERTIFICATE",
                        null);
            }
            return certificates.toArray(new X509Certificate[0]);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (GeneralSecurityException e) {
            throw new RecorderException(
                    file + ": expected certificates in PEM, found what cannot be read as one: " + e.getMessage()
                            + "; give the file with BEGIN CERTIFICATE",
                    e);
        }
    }

    /** Returns the certificates of a PEM file that may hold other things, which the JDK's reader does not skip. */
    private static byte[] withoutKeys(Path file) throws IOException {
        StringBuilder kept = new StringBuilder();
        boolean inside = false;
        for (String line : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).split("\r?\n")) {
            inside |= line.startsWith("-----BEGIN CERTIFICATE-----");
            if (inside) {
                kept.append(line).append('\n');
            }
            inside &= !line.startsWith("-----END CERTIFICATE-----");
        }
        return kept.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static PrivateKey readKey(Path file) {
        try (PEMParser parser =
                new PEMParser(new StringReader(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)))) {
            Object found;
            while ((found = parser.readObject()) != null) {
                if (found instanceof PEMKeyPair) {
                    return new JcaPEMKeyConverter()
                            .getKeyPair((PEMKeyPair) found)
                            .getPrivate();
                }
                if (found instanceof PrivateKeyInfo) {
                    return new JcaPEMKeyConverter().getPrivateKey((PrivateKeyInfo) found);
                }
            }
        } catch (NoSuchFileException e) {
            throw unreadable(file, e);
        } catch (IOException e) {
            throw new RecorderException(
                    file + ": expected a private key in PEM, found what cannot be read as one: " + e.getMessage()
                            + "; give the file with BEGIN PRIVATE KEY",
                    e);
        }
        throw new RecorderException(
                file + ": expected a private key in PEM that is not encrypted, found none; decrypt it with openssl pkey"
                        + " -in key.pem -out plain.pem",
                null);
    }

    /** Tells whether what the private key signs is what the public key verifies. */
    private static boolean belongTogether(PrivateKey key, PublicKey certified) {
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

    private static RecorderException unreadable(Path file, IOException e) {
        return new RecorderException(
                "cannot read " + file + ": "
                        + (e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage()))
                        + "; check the path",
                e);
    }

    private static boolean isAddress(String name) {
        return name.indexOf(':') >= 0 || name.matches("[0-9.]+");
    }
}
