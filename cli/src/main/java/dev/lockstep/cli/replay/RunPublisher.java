package dev.lockstep.cli.replay;

import dev.lockstep.exporter.Exporter;
import dev.lockstep.results.Drift;
import dev.lockstep.run.Addresses;
import dev.lockstep.run.ReadyTarget;
import dev.lockstep.run.RunListener;
import java.util.List;

/** Tells an exporter of metrics what is not in the intervals, which it takes by itself. */
final class RunPublisher implements RunListener {
    private final Exporter exporter;

    RunPublisher(Exporter exporter) {
        this.exporter = exporter;
    }

    @Override
    public void launched(List<ReadyTarget> targets) {
        targets.forEach(target -> exporter.ready(target.name(), Addresses.print(target.address())));
    }

    @Override
    public void trends(List<Drift> drifts) {
        exporter.trends(drifts);
    }
}
