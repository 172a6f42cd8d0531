package dev.lockstep.cli.replay;

import dev.lockstep.results.RunPlan;
import dev.lockstep.results.json.Json;
import dev.lockstep.run.RequestCensus;
import dev.lockstep.run.WriteGuard;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Says as JSON what a run would send where and when: its plan, and which requests there are. */
final class DryRunJson {
    private DryRunJson() {}

    /** Returns one object, with the end of its last line; docs/results.md describes it. */
    static String of(RunPlan plan, RequestCensus census, WriteGuard guard) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("requests", census.requests());
        counts.put("protocols", census.protocols());
        counts.put("methods", census.methods());
        counts.put("hosts", census.hosts());
        counts.put("changing", census.changing());
        counts.put("opaqueBytes", census.opaqueBytes());
        Optional<String> refusal = guard.refusal(census);
        Map<String, Object> guarded = new LinkedHashMap<>();
        guarded.put("refused", refusal.isPresent() && !plan.allowWrites());
        refusal.ifPresent(reason -> guarded.put("reason", reason));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("plan", plan);
        document.put("census", counts);
        document.put("guard", guarded);
        return Json.print(document);
    }
}
