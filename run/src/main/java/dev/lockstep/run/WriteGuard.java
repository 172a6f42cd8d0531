package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Keeps requests that may change something from servers that are neither on this machine's loopback nor started by
 * Lockstep, unless the user allows it. It looks at the very addresses that are connected to later.
 */
public final class WriteGuard {
    private final String capture;
    private final String recorded;
    private final List<TargetSpec> elsewhere;

    public WriteGuard(RunPlan plan, Capture capture, List<TargetSpec> targets) {
        this.capture = plan.capture().path();
        this.recorded = capture.info().upstream();
        this.elsewhere = targets.stream().filter(WriteGuard::isElsewhere).collect(Collectors.toList());
    }

    public boolean guards() {
        return !elsewhere.isEmpty();
    }

    /** Whether a target is a server that runs already and has an address that is not loopback. */
    public static boolean isElsewhere(TargetSpec target) {
        // A host that is not known has no address that could be told to be loopback.
        return target.attachAddress().isPresent()
                && (target.attachAddresses().isEmpty()
                        || !target.attachAddresses().stream()
                                .allMatch(address -> address.getAddress().isLoopbackAddress()));
    }

    /** Returns why the run is refused, unless writes are allowed; empty where it is not. */
    public Optional<String> refusal(RequestCensus census) {
        if (elsewhere.isEmpty() || !census.mayChange()) {
            return Optional.empty();
        }
        String where = elsewhere.stream().map(this::describe).collect(Collectors.joining(", "));
        boolean others =
                census.changing().values().stream().mapToLong(Long::longValue).sum() < census.requests();
        boolean http = census.protocols().keySet().stream().allMatch(label -> label.startsWith("http/"));
        return Optional.of(capture + ": " + census.describeChanging() + " may change something at " + where
                + ", which is neither on loopback nor started by Lockstep; add --allow-writes if they may"
                + (http && others
                        ? ", or keep the others with: replay filter --method GET,HEAD " + capture + " -o reads.bin"
                        : ""));
    }

    private String describe(TargetSpec target) {
        InetSocketAddress address = target.attachAddress().get();
        return target.name() + " (" + Addresses.print(address)
                + (isRecordedService(target) ? ", the recorded service itself" : "") + ")";
    }

    private boolean isRecordedService(TargetSpec target) {
        InetSocketAddress address = target.attachAddress().get();
        int colon = recorded == null ? -1 : recorded.lastIndexOf(':');
        if (colon < 0 || !recorded.substring(colon + 1).equals(Integer.toString(address.getPort()))) {
            return false;
        }
        String host = recorded.substring(0, colon).replaceAll("^\\[|]$", "");
        if (host.equalsIgnoreCase(address.getHostString())) {
            return true;
        }
        try {
            List<InetAddress> service = List.of(InetAddress.getAllByName(host));
            return target.attachAddresses().stream().anyMatch(one -> service.contains(one.getAddress()));
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
