package dev.lockstep.capture;

/** Receives the records of a capture one by one. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * Takes one record.
     *
     * @param record a view that is valid only during this call
     * @return whether to go on
     */
    boolean onRecord(CaptureRecord record);
}
