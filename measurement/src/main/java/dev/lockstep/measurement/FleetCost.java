package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the CPU of the targets is worth in a fleet of servers, in US dollars a year. Immutable. */
public final class FleetCost {
    /** What the fleet saves a year with one target in place of the baseline; negative where it loses. Immutable. */
    public static final class Saving {
        private final String target;
        private final double usdPerYear;
        private final Verdict.Interval interval;

        /** @param interval the 95 % interval of it, or null where there is none */
        public Saving(String target, double usdPerYear, Verdict.Interval interval) {
            this.target = target;
            this.usdPerYear = usdPerYear;
            this.interval = interval;
        }

        public String target() {
            return target;
        }

        public double usdPerYear() {
            return usdPerYear;
        }

        public Optional<Verdict.Interval> interval() {
            return Optional.ofNullable(interval);
        }
    }

    private final double usdPerCoreYear;
    private final double coresPerServer;
    private final double servers;
    private final List<Saving> savings;

    public FleetCost(double usdPerCoreYear, double coresPerServer, double servers, List<Saving> savings) {
        this.usdPerCoreYear = usdPerCoreYear;
        this.coresPerServer = coresPerServer;
        this.servers = servers;
        this.savings = List.copyOf(savings);
    }

    /** Returns what all cores of the fleet cost a year. */
    public double usdPerYear() {
        return usdPerCoreYear * coresPerServer * servers;
    }

    /** Returns what each target but the baseline saves, as far as its CPU is known. */
    public List<Saving> savings() {
        return savings;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("usdPerCoreYear", usdPerCoreYear);
        json.put("coresPerServer", coresPerServer);
        json.put("servers", servers);
        json.put("usdPerYear", usdPerYear());
        var array = json.putArray("savings");
        for (Saving saving : savings) {
            ObjectNode row = array.addObject();
            row.put("target", saving.target);
            row.put("usdPerYear", saving.usdPerYear);
            if (saving.interval != null) {
                row.put("low", saving.interval.low());
                row.put("high", saving.interval.high());
            }
        }
        return json;
    }

    static FleetCost fromJson(JsonFields json) {
        List<Saving> savings = new ArrayList<>();
        for (JsonFields row : json.objects("savings")) {
            savings.add(new Saving(
                    row.text("target"),
                    row.decimal("usdPerYear"),
                    row.has("low") ? new Verdict.Interval(row.decimal("low"), row.decimal("high")) : null));
        }
        return new FleetCost(
                json.decimal("usdPerCoreYear"), json.decimal("coresPerServer"), json.decimal("servers"), savings);
    }
}
