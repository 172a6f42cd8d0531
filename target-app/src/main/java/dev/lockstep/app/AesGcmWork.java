package dev.lockstep.app;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and decrypts a message with AES-GCM, as AESGCMBench of the JDK does. AES in counter mode and GHASH are the
 * stubs whose absence cost Graal 95 %.
 *
 * <p>The key is fixed and the nonce is the iteration's number, which would be a grave fault anywhere else. The answer
 * shows the last authentication tag, which covers every byte of its message.
 */
final class AesGcmWork implements CpuWork {
    private static final int TAG_BYTES = 16;
    private static final int NONCE_BYTES = 12;

    private final SecretKeySpec key = new SecretKeySpec(CpuWork.bytes(16, 1), "AES");

    @Override
    public byte[] answer(String query) {
        int n = Query.number(query, "n", 1, 100, 10);
        int bytes = Query.number(query, "bytes", 1, 1 << 20, 16_384);
        try {
            byte[] message = CpuWork.bytes(bytes, bytes);
            Cipher encryption = Cipher.getInstance("AES/GCM/NoPadding");
            Cipher decryption = Cipher.getInstance("AES/GCM/NoPadding");
            byte[] tag = new byte[0];
            boolean decrypted = true;
            for (int i = 0; i < n; i++) {
                byte[] nonce = new byte[NONCE_BYTES];
                nonce[NONCE_BYTES - 1] = (byte) i;
                GCMParameterSpec parameters = new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce);
                encryption.init(Cipher.ENCRYPT_MODE, key, parameters);
                byte[] secret = encryption.doFinal(message);
                decryption.init(Cipher.DECRYPT_MODE, key, parameters);
                decrypted &= Arrays.equals(message, decryption.doFinal(secret));
                tag = Arrays.copyOfRange(secret, secret.length - TAG_BYTES, secret.length);
            }
            String lastTag = CpuWork.hex(tag);
            boolean allDecrypted = decrypted;
            return Json.object(128, json -> {
                json.writeStringField("kind", "aesgcm");
                json.writeNumberField("n", n);
                json.writeNumberField("bytes", bytes);
                json.writeStringField("lastTag", lastTag);
                json.writeBooleanField("decrypted", allDecrypted);
            });
        } catch (GeneralSecurityException e) {
            throw new TargetAppException("this JVM cannot encrypt with AES-GCM: " + e.getMessage(), e);
        }
    }
}
