package dev.lockstep.profiler;

import dev.lockstep.results.HotMethods;
import java.util.List;
import java.util.Map;

/** Compares the profiles of several targets, method by method. */
public final class SideBySide {
    private SideBySide() {}

    /**
     * Returns the hottest methods of all targets.
     *
     * @param targets all, in the order of the run
     * @param profiles by the target's name, of the targets that were profiled
     * @param most how many methods at most
     */
    public static HotMethods of(List<HotMethods.Target> targets, Map<String, StackProfile> profiles, int most) {
        HotMethods.Samples builder = HotMethods.collect();
        for (HotMethods.Target target : targets) {
            builder.target(target);
            StackProfile profile = profiles.get(target.name());
            if (profile != null) {
                profile.self().forEach((frame, count) -> builder.samples(frame.name, frame.kind, target.name(), count));
            }
        }
        return builder.build(most);
    }
}
