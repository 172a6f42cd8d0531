package dev.lockstep.capture;

import dev.lockstep.capture.files.MappedFile;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Computes the SHA-256 of mapped files, one after the other, on its own thread while another verifies them. */
final class FileDigest implements AutoCloseable {
    /** It checks after this many bytes whether it is still wanted; a file no longer than this needs no thread. */
    private static final int STEP_BYTES = 1 << 20;

    private final Sha256 sha256 = new Sha256();
    private final ArrayDeque<MappedFile> files = new ArrayDeque<>();
    private Thread thread;
    private boolean complete;
    private volatile boolean unwanted;
    private volatile String hex;

    synchronized void add(MappedFile file) {
        files.add(file);
        if (thread == null && file.length > STEP_BYTES) {
            thread = new Thread(this::run, "lockstep-capture-digest");
            thread.setDaemon(true);
            thread.start();
        }
        notifyAll();
    }

    /** Says that there are no more files. */
    synchronized void complete() {
        complete = true;
        notifyAll();
    }

    private void run() {
        for (MappedFile file = next(); file != null; file = next()) {
            for (int i = 0; i < file.count() && !unwanted; i++) {
                digest(file, i);
            }
        }
        hex = sha256.hex();
    }

    private synchronized MappedFile next() {
        boolean interrupted = false;
        while (files.isEmpty() && !complete && !unwanted) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return unwanted ? null : files.poll();
    }

    private void digest(MappedFile file, int mapping) {
        ByteBuffer view = file.mapping(mapping).duplicate();
        int end = (int) Math.min(file.start(mapping + 1) - file.start(mapping), view.limit());
        for (int at = 0; at < end && !unwanted; at += STEP_BYTES) {
            view.limit(Math.min(end, at + STEP_BYTES)).position(at);
            sha256.add(view);
        }
    }

    /** Waits for the digest, which must be complete, and returns it in lower-case hexadecimal. */
    String hex() {
        if (thread == null) {
            run();
        } else {
            Joining.untilEnd(thread);
        }
        if (hex == null) {
            throw new IllegalStateException("the thread that computes the file's SHA-256 died");
        }
        return hex;
    }

    /** Ends the thread if it still runs. */
    @Override
    public void close() {
        synchronized (this) {
            unwanted = true;
            notifyAll();
        }
        if (thread != null) {
            Joining.untilEnd(thread);
        }
    }
}
