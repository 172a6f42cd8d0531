package dev.lockstep.capture;

import java.nio.ByteBuffer;

/** Computes the SHA-256 of a mapped file, of a long one on a thread of its own beside the thread that verifies it. */
final class FileDigest implements AutoCloseable {
    /** How often, in bytes, it looks whether it is still wanted; a file no longer than this needs no thread. */
    private static final int STEP_BYTES = 1 << 20;

    private final MappedFile file;
    private final Thread thread;
    private volatile boolean unwanted;
    private volatile String hex;

    private FileDigest(MappedFile file) {
        this.file = file;
        this.thread = new Thread(this::run, "lockstep-capture-digest");
        thread.setDaemon(true);
    }

    static FileDigest start(MappedFile file) {
        FileDigest digest = new FileDigest(file);
        if (file.length() > STEP_BYTES) {
            digest.thread.start();
        }
        return digest;
    }

    private void run() {
        Sha256 sha256 = new Sha256();
        for (int i = 0; i < file.count(); i++) {
            ByteBuffer view = file.mapping(i).duplicate();
            int end = (int) Math.min(file.start(i + 1) - file.start(i), view.limit());
            for (int at = 0; at < end && !unwanted; at += STEP_BYTES) {
                view.limit(Math.min(end, at + STEP_BYTES)).position(at);
                sha256.add(view);
            }
        }
        hex = sha256.hex();
    }

    /** Waits for the digest, and returns it in lower-case hexadecimal. */
    String hex() {
        Joining.untilEnd(thread);
        if (file.length() <= STEP_BYTES) {
            run();
        }
        if (hex == null) {
            throw new IllegalStateException("the thread that computes the file's SHA-256 died");
        }
        return hex;
    }

    /** Ends the thread if it still runs. */
    @Override
    public void close() {
        unwanted = true;
        Joining.untilEnd(thread);
    }
}
