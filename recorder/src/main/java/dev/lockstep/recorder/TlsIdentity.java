package dev.lockstep.recorder;

import dev.lockstep.net.PemFile;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
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
import org.bouncycastle.util.encoders.DecoderException;

/** The certificate chain and the private key that the proxy shows to TLS clients. Immutable; any thread. */
public final class TlsIdentity {
    private static final Duration SELF_SIGNED_FOR = Duration.ofDays(30);
    private static final Duration CLOCK_SKEW = Duration.ofDays(1);

    private final PrivateKey key;
    private final X509Certificate[] chain;

    private TlsIdentity(PrivateKey key, X509Certificate[] chain) {
        this.key = key;
        this.chain = chain;
    }

    /**
     * @param certificateChain a PEM file: the server's certificate first, then those that sign it
     * @param privateKey a PEM file, which may be the same: the certificate's key in PKCS #8 or the traditional RSA and
     *     EC forms, not encrypted
     * @throws RecorderException when a file cannot be read or holds something else, or the two do not belong together
     */
    public static TlsIdentity read(Path certificateChain, Path privateKey) {
        X509Certificate[] chain = readCertificates(certificateChain);
        PrivateKey key = readKey(privateKey);
        if (!PemFile.isKeyOf(chain[0], key)) {
            throw new RecorderException(
                    privateKey + ": expected the key of the first certificate in " + certificateChain
                            + ", found another one (" + key.getAlgorithm() + "); give the certificate's own key",
                    null);
        }
        return new TlsIdentity(key, chain);
    }

    /**
     * A new key and a certificate that is signed by itself, for trials: no client trusts it unless told to.
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
            return new TlsIdentity(pair.getPrivate(), new X509Certificate[] {certificate});
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new RecorderException(
                    "cannot make a self-signed certificate for " + String.join(", ", names) + ": " + e.getMessage()
                            + "; give a certificate and its key in files",
                    e);
        }
    }

    /** The server's comes first. */
    public List<X509Certificate> certificates() {
        return List.of(chain);
    }

    PrivateKey key() {
        return key;
    }

    static X509Certificate[] readCertificates(Path file) {
        try {
            return PemFile.certificates(file).toArray(new X509Certificate[0]);
        } catch (IOException e) {
            throw new RecorderException(e.getMessage(), e);
        }
    }

    /** Unlike {@link PemFile#key}, reads the traditional forms of keys too. */
    private static PrivateKey readKey(Path file) {
        String text;
        try {
            text = PemFile.text(file);
        } catch (IOException e) {
            throw new RecorderException(e.getMessage(), e);
        }
        try (PEMParser parser = new PEMParser(new StringReader(text))) {
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
        } catch (IOException | DecoderException e) {
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

    private static boolean isAddress(String name) {
        return name.indexOf(':') >= 0 || name.matches("[0-9.]+");
    }
}
