package dev.lockstep.live;

import dev.lockstep.page.SearchPage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Shows a search for better parameters in a browser while it goes on, and passes on what is wished there. Used by the
 * thread that carries out the search, which closes it.
 */
public final class SearchView implements AutoCloseable {
    /** How long it takes to tell pages what came in the end. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** The newest data of the page. Thread-safe. */
    private static final class Newest implements LiveSource {
        private String data;
        private long changes = 1;

        Newest(String data) {
            this.data = data;
        }

        synchronized void set(String newer) {
            data = newer;
            changes++;
        }

        @Override
        public Page open() {
            return new Page() {
                private long told;

                @Override
                public Optional<String> lacks() {
                    synchronized (Newest.this) {
                        if (told == changes) {
                            return Optional.empty();
                        }
                        told = changes;
                        return Optional.of(data);
                    }
                }
            };
        }
    }

    private final Newest newest;
    private final LiveServer server;

    private SearchView(Newest newest, LiveServer server) {
        this.newest = newest;
        this.server = server;
    }

    /**
     * Starts to serve the page of a search.
     *
     * @param first what it shows before anything came
     * @param words what can be wished, such as skip
     * @param wish gets one of them, on the server's thread; returns soon
     * @throws LiveException when the address cannot be listened on
     */
    public static SearchView launch(
            InetSocketAddress address, SearchPage first, List<String> words, Consumer<String> wish) {
        Map<String, Runnable> actions = new HashMap<>();
        words.forEach(word -> actions.put("/" + word, () -> wish.accept(word)));
        Newest newest = new Newest(first.data());
        try {
            return new SearchView(newest, LiveServer.launch(address, first.liveHtml(), newest, actions));
        } catch (IOException e) {
            throw LiveException.cannotListen(address, e);
        }
    }

    /** Returns where it listens, with the port that was found for port 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns what to open in a browser; good for one. */
    public String url() {
        return server.url();
    }

    public void show(SearchPage page) {
        newest.set(page.data());
    }

    /** Tells the pages that are open what was shown last, and ends the server. */
    @Override
    public void close() {
        server.end(null, GRACE);
        server.close();
    }
}
