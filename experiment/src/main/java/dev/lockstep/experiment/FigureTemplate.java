package dev.lockstep.experiment;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A figure, or one for each value of some variables, as a definition has it: what was published, and where to look. */
final class FigureTemplate {
    /** What is taken of a part. */
    enum Kind {
        /** A metric of one target over another's, as the verdict has it. */
        RATIO,
        /** A metric of one target less another's. */
        DIFFERENCE,
        /** A metric of one target. */
        VALUE,
        /** The least value that held. */
        LEAST,
        /** What the CPU of a target saves in a year. */
        MONEY,
        /** A number of a JSON document that a part left, by its pointer (RFC 6901). */
        NUMBER,
        /** A score of a file that JMH left, by its parameters. */
        JMH;

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it is of two targets. */
        boolean compares() {
            return this == RATIO || this == DIFFERENCE;
        }
    }

    /** How a ratio is shown. */
    enum Form {
        RATIO,
        /** By how many percent it is more. */
        CHANGE,
        /** The other way round: what the baseline is of it. */
        INVERSE
    }

    String name;
    List<String> foreach;
    String unit;
    Kind kind;
    /** The metric, the JSON pointer, or JMH's parameters. */
    String what;
    /** The file of a number, within the experiment's directory. */
    String file;
    /** The part, as a path within the experiment's directory. */
    String part;

    String target;
    /** What the target is compared with. */
    String over;

    Form form;
    double scale;
    /** What was published, by the text of {@link #publishedKey}. */
    Map<String, Published> published;

    /** What should have been published, likewise, where that is wrong in itself. */
    Map<String, Published> corrected;

    /** Whether what is found is the same quantity, so that the published figure can agree or differ. */
    boolean judged;

    String publishedKey;
    String comment;
    String differs;

    Optional<Published> published(String key) {
        return Optional.ofNullable(published.get(key));
    }

    Optional<Published> corrected(String key) {
        return Optional.ofNullable(corrected.get(key));
    }
}
