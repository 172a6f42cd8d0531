package dev.lockstep.capture.segments;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.format.CaptureFormat;
import dev.lockstep.capture.format.CaptureIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Decrypts and decompresses blocks of records, the reverse of {@link BlockEncoder}. For one thread. */
final class BlockDecoder implements AutoCloseable {
    private static final int HEADER = CaptureFormat.BLOCK_HEADER_BYTES;

    private final byte[] additional = new byte[HEADER - CaptureFormat.BLOCK_KIND];
    private final byte[] nonce = new byte[CaptureFormat.NONCE_BYTES];
    private SecretKey key;
    private Cipher cipher;
    private ZstdDecompressCtx zstd;
    private byte[] encrypted = {};
    private byte[] plain = {};
    private ByteBuffer direct = ByteBuffer.allocate(0);

    /** Goes to another file, encrypted with a key or not. */
    void file(CaptureIdentity identity, EncryptionKey itsKey) {
        key = identity.encrypted() && itsKey != null ? itsKey.fileKey(identity.mark.bytes()) : null;
    }

    /**
     * Decodes a block whose checksum is right.
     *
     * @param block the memory that holds it at a position, its header first
     * @param target where its records go, from the position on; as many bytes as the header says, which the caller has
     *     bounded
     * @return null, or what is wrong, as "expected ..., found ..."
     */
    String decode(ByteBuffer block, int at, ByteBuffer target) {
        int codec = block.get(at + CaptureFormat.BLOCK_CODEC) & 0xFF;
        int flags = block.getShort(at + CaptureFormat.BLOCK_FLAGS) & 0xFFFF;
        int storedBytes = block.getInt(at + CaptureFormat.BLOCK_STORED_BYTES);
        int rawBytes = block.getInt(at + CaptureFormat.BLOCK_RAW_BYTES);
        ByteBuffer source = block;
        int from = at + HEADER;
        int length = storedBytes;
        if ((flags & CaptureFormat.BLOCK_ENCRYPTED) != 0) {
            length = storedBytes - CaptureFormat.NONCE_BYTES - CaptureFormat.TAG_BYTES;
            if (length < 0 || !decrypt(block, at, storedBytes)) {
                return "expected a block of " + storedBytes
                        + " bytes that was encrypted with this key, found one that was not, or was changed since";
            }
            source = codec == CaptureFormat.CODEC_NONE ? ByteBuffer.wrap(plain) : direct(length);
            from = 0;
        }
        if (codec == CaptureFormat.CODEC_NONE) {
            if (length != rawBytes) {
                return "raw length: expected " + length + ", found " + rawBytes;
            }
            ByteBuffer view = source.duplicate();
            view.limit(from + length).position(from);
            target.duplicate().put(view);
            return null;
        }
        return decompress(source, from, length, target, rawBytes);
    }

    private ByteBuffer direct(int length) {
        if (direct.capacity() < length) {
            direct = ByteBuffer.allocateDirect(Math.max(length, 1 << 16)).order(ByteOrder.LITTLE_ENDIAN);
        }
        direct.clear();
        direct.put(plain, 0, length);
        return direct;
    }

    private String decompress(ByteBuffer source, int from, int length, ByteBuffer target, int rawBytes) {
        if (zstd == null) {
            zstd = Zstandard.decompressor();
        }
        try {
            int found = zstd.decompressDirectByteBuffer(target, target.position(), rawBytes, source, from, length);
            return found == rawBytes ? null : "raw length: expected " + rawBytes + ", found " + found;
        } catch (ZstdException e) {
            return "expected a zstd frame of " + rawBytes + " bytes, found none: " + e.getMessage();
        }
    }

    private boolean decrypt(ByteBuffer block, int at, int storedBytes) {
        if (encrypted.length < storedBytes) {
            encrypted = new byte[Math.max(storedBytes, 1 << 16)];
            plain = new byte[encrypted.length];
        }
        if (cipher == null) {
            cipher = BlockEncoder.aesGcm();
        }
        ByteBuffer view = block.duplicate();
        view.limit(at + HEADER + storedBytes).position(at + CaptureFormat.BLOCK_KIND);
        view.get(additional);
        view.get(nonce);
        int length = view.remaining();
        view.get(encrypted, 0, length);
        try {
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * CaptureFormat.TAG_BYTES, nonce));
            cipher.updateAAD(additional);
            cipher.doFinal(encrypted, 0, length, plain, 0);
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Gives the decompressor's memory back. */
    @Override
    public void close() {
        if (zstd != null) {
            zstd.close();
            zstd = null;
        }
    }
}
