package dev.lockstep.cli.replay;

import dev.lockstep.cli.options.Heading;
import dev.lockstep.live.LiveView;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.Cancellation;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option that shows a run in a browser while it goes on. Filled by picocli, then only read. */
@Heading("Output")
final class LiveOptions {
    private static final String FREE_PORT = "0";

    @Option(
            names = "--live",
            arity = "0..1",
            paramLabel = "[HOST:]PORT",
            fallbackValue = FREE_PORT,
            preprocessor = Attached.class,
            converter = MetricsOptions.Listener.class,
            description = "Shows the run in a browser while it goes on, at a printed address. Default: 127.0.0.1 and a "
                    + "free port (docs/live.md).")
    private InetSocketAddress address;

    /** Takes only {@code --live=PORT} for a port: the word behind {@code --live} is the capture. */
    static final class Attached implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> information) {
            if (!"=".equals(information.get("separator"))) {
                words.push(FREE_PORT);
            }
            return false;
        }
    }

    /**
     * Begins to serve the page, where that was asked for, and says where. The caller closes what this returns, which is
     * null where nobody asked.
     */
    LiveView launch(RunPlan plan, Cancellation cancellation, PrintWriter err) {
        if (address == null) {
            return null;
        }
        LiveView view = LiveView.launch(address, plan, cancellation);
        err.println("live: " + view.url()
                + (view.address().getAddress().isLoopbackAddress()
                        ? ""
                        : ", not encrypted: OPEN to everybody who can read the traffic of this network"));
        err.flush();
        return view;
    }
}
