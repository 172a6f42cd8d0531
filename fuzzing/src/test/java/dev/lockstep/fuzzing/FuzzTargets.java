package dev.lockstep.fuzzing;

import dev.lockstep.conversion.imports.ImportFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Every parser that reads bytes of strangers, as a fuzzer drives it: one method per parser, from an input to an
 * exception where something is wrong.
 */
enum FuzzTargets {
    HTTP_REQUEST(FramingTargets::httpRequest),
    HTTP_FIELDS(ReaderTargets::httpFields),
    HTTP_RESPONSE(FramingTargets::httpResponse),
    CONNECTION(FramingTargets::connection),
    THRIFT(FramingTargets::thrift),
    THRIFT_STRUCT(ReaderTargets::thriftStruct),
    THRIFT_ANSWER(FramingTargets::thriftAnswer),
    HTTP2(FramingTargets::http2),
    HTTP2_RESPONSE(AnswerTargets::http2),
    MUX_ANSWER(AnswerTargets::mux),
    REQUEST_FACTS(FramingTargets::requestFacts),
    PACKETS(PacketTargets::file),
    REDACTION(RedactionTargets::stream),
    REDACTION_RULES(RedactionTargets::rules),
    HAR(input -> ImportTargets.parse(ImportFormat.HAR, input)),
    GOR(input -> ImportTargets.parse(ImportFormat.GOR, input)),
    ENVOY_TAP(input -> ImportTargets.parse(ImportFormat.ENVOY_TAP, input)),
    MITMPROXY(input -> ImportTargets.parse(ImportFormat.MITMPROXY, input)),
    ACCESS_LOG(input -> ImportTargets.parse(ImportFormat.ACCESS_LOG, input)),
    URLS(input -> ImportTargets.parse(ImportFormat.URLS, input)),
    VEGETA(input -> ImportTargets.parse(ImportFormat.VEGETA, input)),
    CAPTURE_FILE(CaptureTargets::open),
    GC_LOG(MonitorTargets::gcLog),
    PERF_DATA(MonitorTargets::perfData);

    private final Parser parser;

    FuzzTargets(Parser parser) {
        this.parser = parser;
    }

    /** A parser under test. */
    @FunctionalInterface
    interface Parser {
        void parse(byte[] input) throws Exception;
    }

    /** Returns the name of its folder in the corpus. */
    String folder() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** Parses once; fails when the parser does, or allocates much more than the input warrants. */
    void parse(byte[] input) throws Exception {
        Allocation.check(parser, input);
    }

    static List<FuzzTargets> all() {
        return new ArrayList<>(List.of(values()));
    }
}
