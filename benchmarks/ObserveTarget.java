import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.GcLogFormat;
import dev.lockstep.monitor.TargetMonitor;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Watches one JVM once a second with what a run of Lockstep watches it with, for {@code observer_cost.py}: {@code java -cp
 * 'cli/target/lockstep/lib/*' benchmarks/ObserveTarget.java PID GC_LOG}. It goes on until it is ended.
 */
final class ObserveTarget {
    private ObserveTarget() {}

    public static void main(String[] args) throws InterruptedException {
        GcLog log = GcLog.open(Path.of(args[1]), GcLogFormat.UNIFIED, OptionalLong.empty());
        try (TargetMonitor monitor = TargetMonitor.open(Long.parseLong(args[0]), Map.of(), Optional.of(log))) {
            long seen = 0;
            while (true) {
                seen += monitor.sample().hashCode() & 1;
                Thread.sleep(1000);
            }
        }
    }
}
