package dev.lockstep.cli.replay;

import dev.lockstep.cli.options.Heading;
import dev.lockstep.live.LiveView;
import dev.lockstep.live.SearchView;
import dev.lockstep.page.SearchPage;
import dev.lockstep.results.RunPlan;
import dev.lockstep.run.Cancellation;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.function.Consumer;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option that shows a run, or a search, in a browser while it goes on. Filled by picocli, then only read. */
@Heading("Output")
public final class LiveOptions {
    private static final String FREE_PORT = "0";

    @Option(
            names = "--live",
            arity = "0..1",
            paramLabel = "[HOST:]PORT",
            fallbackValue = FREE_PORT,
            preprocessor = Attached.class,
            converter = MetricsOptions.Listener.class,
            description = "Shows in a browser what goes on, at a printed address; --live=9000 chooses the port. "
                    + "Default: 127.0.0.1 and a free port (docs/live.md).")
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
        say(view.url(), view.address(), err);
        return view;
    }

    /**
     * Begins to serve the page of a search, where that was asked for, and says where. The caller closes what this
     * returns, which is null where nobody asked.
     *
     * @param words what can be wished on the page
     * @param wish gets one of them, on a thread of the server; returns soon
     */
    public SearchView launch(SearchPage first, List<String> words, Consumer<String> wish, PrintWriter err) {
        if (address == null) {
            return null;
        }
        SearchView view = SearchView.launch(address, first, words, wish);
        say(view.url(), view.address(), err);
        return view;
    }

    private static void say(String url, InetSocketAddress address, PrintWriter err) {
        err.println("live: " + url
                + (address.getAddress().isLoopbackAddress()
                        ? ""
                        : ", not encrypted: OPEN to everybody who can read the traffic of this network"));
        err.flush();
    }
}
