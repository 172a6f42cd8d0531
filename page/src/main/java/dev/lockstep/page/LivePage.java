package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;

/**
 * The page that shows a run while it goes on. It asks the server that it came from for {@code events} and sends it what
 * its buttons say, and connects to nothing else. Any thread.
 */
public final class LivePage {
    private LivePage() {}

    /** Returns the page, to be served as UTF-8. */
    public static String of(RunPlan plan) {
        ObjectNode run = JsonNodeFactory.instance.objectNode();
        ArrayNode names = run.putArray("names");
        ArrayNode caps = run.putArray("caps");
        for (TargetPlan target : plan.targets()) {
            names.add(target.name());
            // Null where there is none.
            caps.add(
                    target.memoryLimitBytes().isPresent()
                            ? target.memoryLimitBytes().getAsLong()
                            : null);
        }
        run.put("baseline", plan.baseline())
                .put("capture", plan.capture().path())
                .put("requests", plan.capture().requests())
                .put("pace", plan.pace().toString())
                .put("schedule", plan.schedule().key())
                .put("blocks", plan.runsInBlocks())
                .put("launches", plan.launches())
                .put("mostLaunches", plan.mostLaunches());
        return Template.of("live", run.toString()).live().html();
    }
}
