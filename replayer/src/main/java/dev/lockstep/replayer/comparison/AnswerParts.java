package dev.lockstep.replayer.comparison;

import dev.lockstep.measurement.ErrorKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The parts in which two answers to one request differ, by name: status, headers, body or its length. Stateless. */
final class AnswerParts {
    private static final String STATUS = "status";
    private static final String NO_ANSWER = "no answer";
    private static final String BODY_LENGTH = "body length";
    private static final String BODY = "body";
    private static final String HEADER = "header ";
    private static final String HEADERS = "headers";

    /** Failures that are answers. */
    private static final Set<ErrorKind> ANSWERS =
            EnumSet.of(ErrorKind.THRIFT_EXCEPTION, ErrorKind.MUX_ERROR, ErrorKind.MUX_NACK);

    private AnswerParts() {}

    /** Tells whether something is known of both answers. */
    static boolean areKnown(AnswerLog a, AnswerLog b, int request) {
        return a.outcome(request) != 0 && b.outcome(request) != 0;
    }

    /** Puts the parts in which two answers differ into a list. Where the status does, the rest follows from that. */
    static void differing(AnswerLog a, AnswerLog b, int request, List<String> parts) {
        parts.clear();
        int outcome = a.outcome(request);
        if (outcome != b.outcome(request)) {
            parts.add(isAnswer(outcome) && isAnswer(b.outcome(request)) ? STATUS : NO_ANSWER);
            return;
        }
        if (outcome >= AnswerLog.FAILED) {
            return;
        }
        if (a.bodyBytes(request) != b.bodyBytes(request)) {
            parts.add(BODY_LENGTH);
        }
        if (a.isWhole(request) && b.isWhole(request)) {
            if (a.body(request) != b.body(request)) {
                parts.add(BODY);
            }
            headers(a, a.headerSet(request), b, b.headerSet(request), parts);
        }
    }

    /** Tells whether the target answered, be it with an exception of Thrift's or an error of mux. */
    private static boolean isAnswer(int outcome) {
        return outcome < AnswerLog.FAILED || ANSWERS.contains(ErrorKind.values()[outcome - AnswerLog.FAILED]);
    }

    private static void headers(AnswerLog a, int setA, AnswerLog b, int setB, List<String> parts) {
        if (a.setHash(setA) == b.setHash(setB)) {
            return;
        }
        if (!a.isListed(setA) || !b.isListed(setB)) {
            parts.add(HEADERS);
            return;
        }
        int before = parts.size();
        missingOrOther(a, setA, b, setB, parts);
        missingOrOther(b, setB, a, setA, parts);
        if (parts.size() == before) {
            parts.add(HEADERS);
        }
    }

    /** Adds the headers of one set that the other has not, or has with another value. */
    private static void missingOrOther(AnswerLog a, int setA, AnswerLog b, int setB, List<String> parts) {
        for (int i = 0; i < a.headers(setA); i++) {
            String name = a.headerName(setA, i);
            boolean same = false;
            for (int j = 0; j < b.headers(setB) && !same; j++) {
                same = a.headerHash(setA, i) == b.headerHash(setB, j)
                        && b.headerName(setB, j).equals(name);
            }
            if (!same && !parts.contains(HEADER + name)) {
                parts.add(HEADER + name);
            }
        }
    }
}
