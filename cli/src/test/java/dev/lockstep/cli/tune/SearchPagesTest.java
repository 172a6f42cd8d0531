package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.search.Control;
import dev.lockstep.search.Journal;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchListener;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.SpaceFile;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of a search's changes are shown. To ask what the search holds takes a second here. */
final class SearchPagesTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    private Path folder;

    private final AtomicLong nowNs = new AtomicLong();
    private int made;

    private SearchPages pages() {
        PrintWriter err = new PrintWriter(Writer.nullWriter());
        return new SearchPages(folder, Scale.PLAIN, new SearchPrinter(err, Scale.PLAIN, false, nowNs::get), nowNs::get);
    }

    private SearchResult soFar() {
        made++;
        nowNs.addAndGet(SECOND_NS);
        SearchPlan plan = SpaceFile.read("s.json", "{\"parameters\": {\"x\": [0.0, 1.0]}}");
        try (Journal journal = Journal.open(folder, plan, Map.of(), false)) {
            return new Search(plan, journal, Control.of(folder, () -> false), new SearchListener() {}, 1, 0).before();
        }
    }

    @Test
    void showsTheFewerChangesTheLongerAPageTakes() {
        try (SearchPages pages = pages()) {
            pages.changed(this::soFar);
            pages.changed(this::soFar);
            nowNs.addAndGet(20 * SECOND_NS - 1);
            pages.changed(this::soFar);
            assertEquals(1, made);

            nowNs.addAndGet(1);
            pages.changed(this::soFar);
            assertEquals(2, made);
            assertTrue(Files.exists(folder.resolve(SearchPages.NAME)));
        }
    }

    /** Else a page would show through a whole evaluation the one before it, which ended at once. */
    @Test
    void showsEachChangeWhereTheNextEvaluationWaitsForIt() {
        try (SearchPages pages = pages().showingAll()) {
            pages.changed(this::soFar);
            pages.changed(this::soFar);

            assertEquals(2, made);
        }
    }

    /** Nothing comes after it until somebody wishes so. */
    @Test
    void showsAPauseHoweverSoonItComes() {
        try (SearchPages pages = pages()) {
            pages.changed(this::soFar);
            pages.paused(this::soFar);

            assertEquals(2, made);
        }
    }
}
