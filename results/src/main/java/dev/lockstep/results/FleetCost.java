package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/** What the CPU of the targets is worth in a fleet of servers, in US dollars a year. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableFleetCost.Builder.class)
public abstract class FleetCost {
    /** What the fleet saves a year with one target in place of the baseline. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableSaving.Builder.class)
    public abstract static class Saving {
        /** @param interval of the level that the verdict's own has, or null where there is none */
        public static Saving of(String target, double usdPerYear, Verdict.Interval interval) {
            ImmutableSaving.Builder saving =
                    ImmutableSaving.builder().target(target).usdPerYear(usdPerYear);
            return interval == null
                    ? saving.build()
                    : saving.low(interval.low()).high(interval.high()).build();
        }

        /** The target that would replace the baseline. */
        public abstract String target();

        /** What that saves a year; negative where it costs more. */
        public abstract double usdPerYear();

        /** Of the interval of the saving, whose level is {@code interval95Level} of the verdict that it rests on. */
        abstract OptionalDouble low();

        /** Likewise. */
        abstract OptionalDouble high();

        @Value.Check
        void check() {
            if (low().isPresent() && high().isEmpty()) {
                throw new MissingFieldException("high");
            }
        }

        /** The interval of the saving. */
        public Optional<Verdict.Interval> interval() {
            return low().isPresent()
                    ? Optional.of(Verdict.Interval.of(low().getAsDouble(), high().orElseThrow()))
                    : Optional.empty();
        }
    }

    public static FleetCost of(
            String metric, double usdPerCoreYear, double coresPerServer, double servers, List<Saving> savings) {
        return ImmutableFleetCost.builder()
                .metric(metric)
                .usdPerCoreYear(usdPerCoreYear)
                .coresPerServer(coresPerServer)
                .servers(servers)
                .savings(savings)
                .build();
    }

    /** The metric whose ratios the savings rest on; version 0.1.0 did not say that it was user CPU. */
    @Value.Default
    public String metric() {
        return "userCpuPerRequest";
    }

    /** The price of a core for a year, as given. */
    abstract double usdPerCoreYear();

    /** As given. */
    abstract double coresPerServer();

    /** As given. */
    abstract double servers();

    /** What all cores of the fleet cost. */
    @Value.Derived
    public double usdPerYear() {
        return usdPerCoreYear() * coresPerServer() * servers();
    }

    /** Of each target but the baseline, as far as its CPU is known. */
    public abstract List<Saving> savings();
}
