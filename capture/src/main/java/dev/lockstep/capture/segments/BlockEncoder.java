package dev.lockstep.capture.segments;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Turns a block of records into the bytes that go to a file: compressed, then encrypted, as the file's identity says.
 * For the writer thread; its memory is about three blocks.
 *
 * <p>Design note: each block is encrypted under a random nonce of 96 bits and a key that only this file has. A counter
 * would be shorter, but a block that was torn and cut, or a file that was copied and appended to twice, would use the
 * same number again for other bytes, which breaks GCM. 2<sup>32</sup> random nonces under one key meet with a
 * probability of 2<sup>-33</sup> (NIST SP 800-38D allows 2<sup>-32</sup>), and so many blocks are a petabyte in one
 * file.
 */
final class BlockEncoder implements AutoCloseable {
    private static final int HEADER = CaptureFormat.BLOCK_HEADER_BYTES;

    private final CaptureIdentity identity;
    private final ZstdCompressCtx zstd;
    private final SecretKey key;
    private final Cipher cipher;
    private final SecureRandom random = new SecureRandom();
    private final byte[] nonce = new byte[CaptureFormat.NONCE_BYTES];
    private ByteBuffer compressed = ByteBuffer.allocate(0);
    private byte[] plain = {};
    private ByteBuffer encrypted = ByteBuffer.allocate(0);

    /**
     * Makes an encoder for one file.
     *
     * @param level of compression, if the identity says that there is one
     * @param key of encryption, if the identity says that there is one
     */
    BlockEncoder(CaptureIdentity identity, int level, EncryptionKey key) {
        this.identity = identity;
        this.zstd = identity.compressed() ? Zstandard.compressor(level) : null;
        this.key = identity.encrypted() ? key.fileKey(identity.mark.bytes()) : null;
        this.cipher = identity.encrypted() ? aesGcm() : null;
    }

    static Cipher aesGcm() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES/GCM/NoPadding", e);
        }
    }

    /** Returns the block from its first byte to its last; valid until the next call. */
    ByteBuffer encode(Block block) {
        ByteBuffer raw = block.finish();
        int rawBytes = raw.limit() - HEADER;
        ByteBuffer out = raw;
        int codec = CaptureFormat.CODEC_NONE;
        if (zstd != null) {
            ByteBuffer smaller = compress(raw, rawBytes);
            if (smaller != null) {
                out = smaller;
                codec = CaptureFormat.CODEC_ZSTD;
            }
        }
        if (key == null) {
            block.putHeader(out, identity, codec, 0, rawBytes);
        } else {
            out = encrypt(block, out, codec, rawBytes);
        }
        return Block.checksum(out);
    }

    /** Returns the block's records compressed, or null when they would not become smaller. */
    private ByteBuffer compress(ByteBuffer raw, int rawBytes) {
        if (compressed.capacity() < raw.capacity()) {
            compressed = ByteBuffer.allocateDirect(raw.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        }
        compressed.clear();
        try {
            int length = zstd.compressDirectByteBuffer(compressed, HEADER, rawBytes, raw, HEADER, rawBytes);
            return length < rawBytes ? compressed.limit(HEADER + length) : null;
        } catch (ZstdException e) {
            return null; // the result would be longer than the source
        }
    }

    private ByteBuffer encrypt(Block block, ByteBuffer source, int codec, int rawBytes) {
        int length = source.limit() - HEADER;
        int total = HEADER + CaptureFormat.NONCE_BYTES + length + CaptureFormat.TAG_BYTES;
        if (encrypted.capacity() < total) {
            plain = new byte[source.capacity()];
            encrypted = ByteBuffer.allocate(
                            Math.max(total, source.capacity() + CaptureFormat.NONCE_BYTES + CaptureFormat.TAG_BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        source.position(HEADER);
        source.get(plain, 0, length);
        encrypted.clear().limit(total);
        block.putHeader(encrypted, identity, codec, CaptureFormat.BLOCK_ENCRYPTED, rawBytes);
        random.nextBytes(nonce);
        byte[] target = encrypted.array();
        System.arraycopy(nonce, 0, target, HEADER, nonce.length);
        try {
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * CaptureFormat.TAG_BYTES, nonce));
            cipher.updateAAD(target, CaptureFormat.BLOCK_KIND, HEADER - CaptureFormat.BLOCK_KIND);
            cipher.doFinal(plain, 0, length, target, HEADER + CaptureFormat.NONCE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a block cannot be encrypted", e);
        }
        return encrypted;
    }

    /** Gives the compressor's memory back. */
    @Override
    public void close() {
        if (zstd != null) {
            zstd.close();
        }
    }
}
