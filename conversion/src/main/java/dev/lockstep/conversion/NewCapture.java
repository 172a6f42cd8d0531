package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.ReplacedCapture;
import java.nio.file.Path;
import java.util.List;

/**
 * The capture that a conversion writes. It is deleted unless it was completed, so that nobody takes it for the whole;
 * what it replaces is kept until then, and put back otherwise. Used by one thread, which closes it.
 */
public final class NewCapture implements AutoCloseable {
    /** What stands behind the reason in the writer's own words. */
    private static final String READABLE = "; what was written before is readable";

    private final Path path;
    private final ReplacedCapture replaced;
    private final CaptureWriter writer;
    private boolean ended;

    private NewCapture(Path path, ReplacedCapture replaced, CaptureWriter writer) {
        this.path = path;
        this.replaced = replaced;
        this.writer = writer;
    }

    /** @throws dev.lockstep.capture.CaptureException when it cannot be created; what it would replace is back then */
    public static NewCapture begin(Path path, CaptureOptions options) {
        ReplacedCapture replaced = ReplacedCapture.setAside(path, options);
        try {
            return new NewCapture(path, replaced, replaced.begin());
        } catch (RuntimeException | Error e) {
            replaced.restore();
            throw e;
        }
    }

    public CaptureWriter writer() {
        return writer;
    }

    /**
     * Completes it. One that holds less than there was to write is kept as far as it goes, unless it replaces another.
     *
     * @param stopped why there was more to write, a clause for people such as "the import was ended by a signal"; null
     *     where there was not
     * @throws ConversionException where it holds less, and what it was to replace was put back instead
     */
    public void complete(String stopped) {
        if (stopped == null) {
            writer.close();
        } else {
            writer.closeEarly(stopped);
        }
        String failure = writer.totals().failure();
        String cut = failure == null ? stopped : reason(failure);
        if (cut != null && !replaced.isEmpty()) {
            List<Path> left = discard();
            throw new ConversionException(
                    path,
                    "not replaced: " + cut + "; "
                            + (left.isEmpty()
                                    ? "what was there is as it was"
                                    : "what was there is whole, but could not be put back from " + left));
        }
        ended = true;
        replaced.delete();
    }

    /** Returns why a capture ends early, without the file's name and what does not hold of one that is deleted. */
    private static String reason(String failure) {
        String reason = CaptureInfo.reason(failure);
        return reason.endsWith(READABLE) ? reason.substring(0, reason.length() - READABLE.length()) : reason;
    }

    private List<Path> discard() {
        ended = true;
        writer.discard();
        return replaced.restore();
    }

    @Override
    public void close() {
        if (!ended) {
            discard();
        }
    }
}
