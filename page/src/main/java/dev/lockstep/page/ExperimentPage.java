package dev.lockstep.page;

/**
 * An experiment's figures beside the published ones, as one HTML page that needs nothing else, as {@link ReportPage}.
 */
public final class ExperimentPage {
    private ExperimentPage() {}

    /**
     * Returns the page, to be written as UTF-8.
     *
     * @param title of the experiment
     * @param data what it asked, its figures, parts and charts, as JSON
     * @param text what is shown where no script runs
     */
    public static String html(String title, String data, String text) {
        return Template.of("experiment", data)
                .with("title", Template.escaped(title))
                .with("text", Template.escaped(text))
                .html();
    }
}
