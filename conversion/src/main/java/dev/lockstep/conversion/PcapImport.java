package dev.lockstep.conversion;

/** Imports packets. */
final class PcapImport {
    private PcapImport() {}

    static ImportReport run(ImportConfig config) {
        throw new ConversionException(config.inputs().get(0), "packets cannot be imported yet");
    }
}
