package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What the launches of a run say about one metric of one target against the baseline. Immutable. The ratio is target over
 * baseline, so for a metric of which less is better 0.9 is a gain of 10 %.
 */
public final class Verdict {
    /** What was found. */
    public enum Finding {
        BETTER,
        WORSE,
        /** The difference, if there is one, is within the margin. */
        EQUIVALENT,
        INCONCLUSIVE;

        /** Returns the word in files and on the screen. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Finding parse(String key) {
            for (Finding finding : values()) {
                if (finding.key().equals(key)) {
                    return finding;
                }
            }
            throw new IllegalArgumentException(
                    "expected better, worse, equivalent or inconclusive, found " + Rules.quote(key));
        }
    }

    /** An interval of ratios. */
    public static final class Interval {
        private final double low;
        private final double high;

        public Interval(double low, double high) {
            this.low = low;
            this.high = high;
        }

        public double low() {
            return low;
        }

        public double high() {
            return high;
        }

        ObjectNode toJson() {
            return JsonFields.object().put("low", low).put("high", high);
        }

        static Interval fromJson(JsonFields json) {
            return json == null ? null : new Interval(json.decimal("low"), json.decimal("high"));
        }
    }

    private final String metric;
    private final String target;
    private final String baseline;
    private final boolean primary;
    private final int launches;
    private final OptionalDouble ratio;
    private final Interval interval;
    private final Interval interval95;
    private final Interval bootstrap;
    private final Interval noiseFloor;
    private final OptionalDouble pValue;
    private final Finding finding;
    private final boolean indicative;
    private final OptionalInt moreLaunches;

    private Verdict(Builder builder) {
        metric = builder.metric;
        target = builder.target;
        baseline = builder.baseline;
        primary = builder.primary;
        launches = builder.launches;
        ratio = builder.ratio;
        interval = builder.interval;
        interval95 = builder.interval95;
        bootstrap = builder.bootstrap;
        noiseFloor = builder.noiseFloor;
        pValue = builder.pValue;
        finding = builder.finding;
        indicative = builder.indicative;
        moreLaunches = builder.moreLaunches;
    }

    public static Builder builder(String metric, String target, String baseline) {
        return new Builder(metric, target, baseline);
    }

    public String metric() {
        return metric;
    }

    public String target() {
        return target;
    }

    public String baseline() {
        return baseline;
    }

    /** Says whether it is the metric that was declared before the run as the one that decides. */
    public boolean primary() {
        return primary;
    }

    /** Returns how many pairs of launches it rests on. */
    public int launches() {
        return launches;
    }

    /** Returns target over baseline; absent where no pair of launches gave both. */
    public OptionalDouble ratio() {
        return ratio;
    }

    /**
     * Returns the interval that decides, or null with fewer than two pairs of launches: of 95 % for the primary metric, for
     * the others of the higher level at which all of a target hold together in 95 %.
     */
    public Interval interval() {
        return interval;
    }

    /** Returns the 95 % interval of this ratio alone, whatever others are looked at beside it; null likewise. */
    public Interval interval95() {
        return interval95;
    }

    /** Returns the interval that a bootstrap over launches and their blocks gives, or null. */
    public Interval bootstrap() {
        return bootstrap;
    }

    /** Returns what the ratio shows where there is no difference, or null where that is not known. */
    public Interval noiseFloor() {
        return noiseFloor;
    }

    /** Returns the p-value that decides: adjusted after Holm unless the metric is the primary one. */
    public OptionalDouble pValue() {
        return pValue;
    }

    public Finding finding() {
        return finding;
    }

    /** Says whether there were fewer launches than a verdict should rest on. */
    public boolean indicative() {
        return indicative;
    }

    /** Returns about how many more launches would decide; only where inconclusive and where that can be told. */
    public OptionalInt moreLaunches() {
        return moreLaunches;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("metric", metric);
        json.put("target", target);
        json.put("baseline", baseline);
        JsonFields.put(json, "ratio", ratio);
        if (interval != null) {
            json.put("low", interval.low);
            json.put("high", interval.high);
        }
        if (interval95 != null) {
            json.set("interval95", interval95.toJson());
        }
        json.put("verdict", finding.key());
        json.put("launches", launches);
        json.put("primary", primary);
        json.put("indicative", indicative);
        JsonFields.put(json, "moreLaunches", moreLaunches);
        JsonFields.put(json, "pValue", pValue);
        if (bootstrap != null) {
            json.set("bootstrap", bootstrap.toJson());
        }
        if (noiseFloor != null) {
            json.set("noiseFloor", noiseFloorJson());
        }
        return json;
    }

    ObjectNode noiseFloorJson() {
        ObjectNode json = JsonFields.object();
        json.put("metric", metric);
        json.put("low", noiseFloor.low);
        json.put("high", noiseFloor.high);
        return json;
    }

    static Verdict fromJson(JsonFields json) {
        Builder builder = builder(json.text("metric"), json.text("target"), json.text("baseline"));
        builder.primary = json.flag("primary");
        builder.launches = (int) json.number("launches");
        builder.ratio = json.decimalOrAbsent("ratio");
        builder.interval = json.has("low") ? Interval.fromJson(json) : null;
        builder.interval95 = Interval.fromJson(json.objectOrNull("interval95"));
        builder.bootstrap = Interval.fromJson(json.objectOrNull("bootstrap"));
        builder.noiseFloor = Interval.fromJson(json.objectOrNull("noiseFloor"));
        builder.pValue = json.decimalOrAbsent("pValue");
        builder.finding = json.parsed("verdict", Finding::parse);
        builder.indicative = json.flag("indicative");
        builder.moreLaunches = json.smallNumberOrAbsent("moreLaunches");
        return builder.build();
    }

    /** Collects the fields. */
    public static final class Builder {
        private final String metric;
        private final String target;
        private final String baseline;
        private boolean primary;
        private int launches;
        private OptionalDouble ratio = OptionalDouble.empty();
        private Interval interval;
        private Interval interval95;
        private Interval bootstrap;
        private Interval noiseFloor;
        private OptionalDouble pValue = OptionalDouble.empty();
        private Finding finding = Finding.INCONCLUSIVE;
        private boolean indicative;
        private OptionalInt moreLaunches = OptionalInt.empty();

        private Builder(String metric, String target, String baseline) {
            this.metric = metric;
            this.target = target;
            this.baseline = baseline;
        }

        public Builder primary(boolean primary) {
            this.primary = primary;
            return this;
        }

        public Builder launches(int launches) {
            this.launches = launches;
            return this;
        }

        public Builder ratio(double ratio) {
            this.ratio = OptionalDouble.of(ratio);
            return this;
        }

        public Builder interval(Interval interval) {
            this.interval = interval;
            return this;
        }

        public Builder interval95(Interval interval95) {
            this.interval95 = interval95;
            return this;
        }

        public Builder bootstrap(Interval bootstrap) {
            this.bootstrap = bootstrap;
            return this;
        }

        public Builder noiseFloor(Interval noiseFloor) {
            this.noiseFloor = noiseFloor;
            return this;
        }

        public Builder pValue(double pValue) {
            this.pValue = OptionalDouble.of(pValue);
            return this;
        }

        public Builder finding(Finding finding) {
            this.finding = finding;
            return this;
        }

        public Builder indicative(boolean indicative) {
            this.indicative = indicative;
            return this;
        }

        public Builder moreLaunches(int moreLaunches) {
            this.moreLaunches = OptionalInt.of(moreLaunches);
            return this;
        }

        public Verdict build() {
            return new Verdict(this);
        }
    }
}
