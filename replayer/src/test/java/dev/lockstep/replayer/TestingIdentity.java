package dev.lockstep.replayer;

import dev.lockstep.net.Tls;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A key and a certificate that is signed by itself, for tests. */
final class TestingIdentity {
    private final KeyPair pair;
    private final X509Certificate certificate;

    /** @param dnsName the name that the certificate is for */
    TestingIdentity(String dnsName) throws GeneralSecurityException, IOException, OperatorCreationException {
        SecureRandom random = new SecureRandom();
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        pair = generator.generateKeyPair();
        X500Name issuer = new X500Name("CN=Lockstep test");
        Instant now = Instant.now();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(120, random),
                Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(1))),
                issuer,
                pair.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
            new GeneralName(GeneralName.dNSName, dnsName)
        }));
        certificate = new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
    }

    /** Writes the certificate as PEM. */
    Path certificate(Path file) throws IOException, GeneralSecurityException {
        return write(file, "CERTIFICATE", certificate.getEncoded());
    }

    /** Writes the key as PEM. */
    Path key(Path file) throws IOException {
        return write(file, "PRIVATE KEY", pair.getPrivate().getEncoded());
    }

    private static Path write(Path file, String kind, byte[] bytes) throws IOException {
        String text = "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
        return Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns a listening socket that shows this identity, on any free port of loopback. */
    ServerSocket listen() throws GeneralSecurityException, IOException {
        return context(null).getServerSocketFactory().createServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    /** Returns what serves with this identity, and trusts another one where that is not null. */
    SSLContext context(TestingIdentity client) throws GeneralSecurityException, IOException {
        return Tls.context(
                Tls.keys(pair.getPrivate(), List.of(certificate)),
                client == null ? null : Tls.trust(List.of(client.certificate)));
    }
}
