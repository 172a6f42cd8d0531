package dev.lockstep.capture.segments;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;

/** Makes compressors and decompressors; when their native library cannot be loaded, the exception says what to do. */
final class Zstandard {
    private Zstandard() {}

    static ZstdCompressCtx compressor(int level) {
        try {
            return new ZstdCompressCtx().setLevel(level);
        } catch (LinkageError e) {
            throw unusable(e);
        }
    }

    static ZstdDecompressCtx decompressor() {
        try {
            return new ZstdDecompressCtx();
        } catch (LinkageError e) {
            throw unusable(e);
        }
    }

    private static IllegalStateException unusable(LinkageError e) {
        return new IllegalStateException(
                "zstd's native library cannot be loaded from " + System.getProperty("java.io.tmpdir")
                        + "; name a directory from which programs may run with -Djava.io.tmpdir",
                e);
    }
}
