package dev.lockstep.app;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;

/**
 * Signs and verifies a message with 2048-bit RSA over SHA-256, as crypto.signverify of SPECjvm2008 does: SHA-256's
 * implCompressMultiBlock and the Montgomery arithmetic of BigInteger are what a JIT may have stubs for.
 *
 * <p>The signature scheme is PKCS #1 v1.5, which has no random part: the same message always has the same signature,
 * and the answer shows a digest of it.
 */
final class SignVerifyWork implements CpuWork {
    /** Two primes of a key made for this class. It is public and protects nothing. */
    private static final BigInteger P = new BigInteger(
            "f3e8755f44b1e9dbfa98c536e01599b03b57b0bef048303579873888a5e33458"
                    + "89e77356b6baade8a09acea20516c25ab029cc8b5e6806750385e7e1ef07853f"
                    + "2bcef7549e53a66ee1606cee8e3441d2c24dcff5f081556228eb0f36d386500e"
                    + "3aed3f2dce4a2d5a6c5db02a4b8032d23af2b953c3cd6e1361b571c9286e197b",
            16);

    private static final BigInteger Q = new BigInteger(
            "e221412c778bca3289e7ad9eed7f4c4c72254e96cdda812d7b21862bac95172d"
                    + "93301e1c00042145eddb6df27055b4cbe6869f5af8cd2e2040cd1a0235766bde"
                    + "a3208377888b829744fd3537e68c1909145b3c06dc69df61b0dd64b0d2e1018c"
                    + "a951032869e94cd89b5e924b056290e43d22f6585c1f4cccb7ff3faf206c5601",
            16);

    private static final BigInteger E = BigInteger.valueOf(65_537);

    private PrivateKey privateKey;
    private PublicKey publicKey;

    @Override
    public byte[] answer(String query) {
        int n = Query.number(query, "n", 1, 100, 1);
        int bytes = Query.number(query, "bytes", 1, 1 << 20, 16_384);
        try {
            makeKeys();
            byte[] message = CpuWork.bytes(bytes, bytes);
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            boolean verified = true;
            for (int i = 0; i < n; i++) {
                message[0] = (byte) i;
                Signature signer = Signature.getInstance("SHA256withRSA");
                signer.initSign(privateKey);
                signer.update(message);
                byte[] signature = signer.sign();
                Signature verifier = Signature.getInstance("SHA256withRSA");
                verifier.initVerify(publicKey);
                verifier.update(message);
                verified &= verifier.verify(signature);
                digest.update(signature);
            }
            String signatures = CpuWork.hex(digest.digest());
            boolean allVerified = verified;
            return Json.object(192, json -> {
                json.writeStringField("kind", "signverify");
                json.writeNumberField("n", n);
                json.writeNumberField("bytes", bytes);
                json.writeStringField("sha256OfSignatures", signatures);
                json.writeBooleanField("verified", allVerified);
            });
        } catch (GeneralSecurityException e) {
            throw new TargetAppException("this JVM cannot sign with SHA256withRSA: " + e.getMessage(), e);
        }
    }

    private void makeKeys() throws GeneralSecurityException {
        if (privateKey != null) {
            return;
        }
        BigInteger one = BigInteger.ONE;
        BigInteger modulus = P.multiply(Q);
        BigInteger exponent = E.modInverse(P.subtract(one).multiply(Q.subtract(one)));
        KeyFactory keys = KeyFactory.getInstance("RSA");
        publicKey = keys.generatePublic(new RSAPublicKeySpec(modulus, E));
        privateKey = keys.generatePrivate(new RSAPrivateCrtKeySpec(
                modulus,
                E,
                exponent,
                P,
                Q,
                exponent.mod(P.subtract(one)),
                exponent.mod(Q.subtract(one)),
                Q.modInverse(P)));
    }
}
