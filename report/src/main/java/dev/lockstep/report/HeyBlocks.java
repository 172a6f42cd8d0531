package dev.lockstep.report;

import dev.lockstep.results.RunResult;
import java.util.stream.Collectors;

/** What hey would print of each target, one after the other, below what spoils the run. */
final class HeyBlocks {
    private final RunResult result;
    private final Paint paint;

    HeyBlocks(RunResult result, Paint paint) {
        this.result = result;
        this.paint = paint;
    }

    /** Returns the lines, each with its end. */
    @Override
    public String toString() {
        String status = new Headlines(result)
                .status().stream()
                        .flatMap(line -> Lines.wrapped(line).stream())
                        .map(line -> paint.of(Paint.Tone.BAD, line) + "\n")
                        .collect(Collectors.joining());
        return result.targets().stream()
                .map(target -> TargetBlock.of(result, target))
                .collect(Collectors.joining("\n", status.isEmpty() ? "" : status + "\n", ""));
    }
}
