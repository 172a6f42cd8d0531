package dev.lockstep.cli.tune;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.live.SearchView;
import dev.lockstep.page.SearchPage;
import dev.lockstep.search.SearchListener;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.Told;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The page of a search, {@code tune.html} in its directory and live where that is wanted, kept as the search goes on.
 * Used by one thread, which closes it.
 */
final class SearchPages implements SearchListener, AutoCloseable {
    static final String NAME = "tune.html";

    /** A page that takes long to make, of a search that goes fast, is made the less often. */
    private static final int MOST_SHARE = 20;

    private final Path directory;
    private final Scale scale;
    private final SearchPrinter printer;
    private final LongSupplier clock;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private String measure = "value";
    private String secondMeasure = "";
    private Function<Configuration, String> flags = configuration -> "";
    private SearchView view;
    private boolean showsAll;
    private long nextNs = Long.MIN_VALUE;
    private boolean failed;

    /** @param clock monotonic, ns */
    SearchPages(Path directory, Scale scale, SearchPrinter printer, LongSupplier clock) {
        this.directory = directory;
        this.scale = scale;
        this.printer = printer;
        this.clock = clock;
    }

    /** Returns the directory of the search. */
    Path directory() {
        return directory;
    }

    Scale scale() {
        return scale;
    }

    /** @param second the label of the second objective; empty where there is one */
    SearchPages measuring(String label, String second) {
        measure = label;
        secondMeasure = second;
        return this;
    }

    SearchPages fact(String label, String text) {
        facts.put(label, text);
        return this;
    }

    /** @param line returns a configuration as a shell takes it */
    SearchPages flags(Function<Configuration, String> line) {
        flags = line;
        return this;
    }

    /** Shows each change, however long that takes: the evaluation that is next waits for it. */
    SearchPages showingAll() {
        showsAll = true;
        return this;
    }

    /** @param shown also gets the page from now on, and is closed with this; null for none */
    void showOn(SearchView shown) {
        view = shown;
    }

    /** Returns the page of a search. */
    SearchPage page(SearchResult found, Optional<String> headline) {
        SearchResult result = scale.of(found);
        SearchScreen screen = new SearchScreen(result, scale);
        SearchPage page = SearchPage.of(result)
                .titled("Tuning: " + directory.toAbsolutePath().normalize().getFileName())
                .measuring(measure, secondMeasure)
                .flags(flags)
                .saying(headline.orElseGet(screen::headline), screen.summary(headline));
        facts.forEach(page::fact);
        return page.fact("Directory", directory.toString());
    }

    /**
     * Shows what a search came to, or where it stands.
     *
     * @param headline in place of the search's own
     */
    void show(SearchResult result, Optional<String> headline) {
        SearchPage page = page(result, headline);
        if (view != null) {
            view.show(page);
        }
        try {
            ReportFile.write(directory.resolve(NAME), page.html());
        } catch (CliException e) {
            // The page is a view of the journal: what cannot be shown is searched all the same.
            if (!failed) {
                printer.note(e.getMessage() + "; the search goes on without");
            }
            failed = true;
        }
    }

    /**
     * Says that what was found is verified.
     *
     * @param what is verified, for the page
     * @param inFull what is verified
     */
    void verifying(SearchResult result, String what, String inFull) {
        note("verifying " + inFull);
        show(
                result.whileVerifying(),
                Optional.of(
                        "VERIFYING " + what + " afresh, after " + result.told().size() + " evaluations"));
    }

    @Override
    public void changed(Supplier<SearchResult> soFar) {
        long beganNs = clock.getAsLong();
        if (showsAll || nextNs == Long.MIN_VALUE || beganNs - nextNs >= 0) {
            show(soFar.get(), Optional.empty());
            long endedNs = clock.getAsLong();
            nextNs = endedNs + MOST_SHARE * (endedNs - beganNs);
        }
    }

    @Override
    public void paused(Supplier<SearchResult> soFar) {
        show(soFar.get(), Optional.empty());
    }

    @Override
    public void note(String sentence) {
        printer.note(sentence);
    }

    @Override
    public void begins(Trial trial, int evaluations) {
        printer.begins(trial, evaluations);
    }

    @Override
    public void ended(Told told, int evaluations) {
        printer.ended(told, evaluations);
    }

    @Override
    public void close() {
        if (view != null) {
            view.close();
        }
    }
}
