package dev.lockstep.profiler;

import dev.lockstep.measurement.HotMethods;
import java.util.List;
import java.util.Map;

/** Puts the profiles of several targets beside each other, method by method. */
public final class SideBySide {
    private SideBySide() {}

    /**
     * Returns the hottest methods of all targets.
     *
     * @param targets all, in the order of the run
     * @param profiles by the name of the target; of those that were profiled
     * @param most how many methods at most
     */
    public static HotMethods of(List<HotMethods.Target> targets, Map<String, StackProfile> profiles, int most) {
        HotMethods.Builder builder = HotMethods.builder();
        for (HotMethods.Target target : targets) {
            builder.target(target);
            StackProfile profile = profiles.get(target.name());
            if (profile != null) {
                profile.self()
                        .forEach((frame, count) -> builder.samples(frame.name(), frame.kind(), target.name(), count));
            }
        }
        return builder.build(most);
    }
}
