package dev.lockstep.page;

import dev.lockstep.inspection.InspectionReport;
import dev.lockstep.inspection.InspectionText;
import dev.lockstep.inspection.InspectionView;

/**
 * What is in a capture as one HTML page that needs nothing else, as {@link ReportPage} is of a run: to look at before
 * it is replayed. Any thread.
 */
public final class CapturePage {
    private CapturePage() {}

    /** Returns the page, to be written as UTF-8. */
    public static String of(InspectionReport report) {
        return Template.of("capture", InspectionView.of(report))
                .with("text", Template.escaped(String.join("\n", InspectionText.lines(report, true))))
                .html();
    }
}
