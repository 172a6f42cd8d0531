package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.UrlParts;
import java.io.IOException;

/** Reads a list of URLs, one on each line; empty lines and those that begin with {@code #} are passed over. */
final class UrlListReader implements EntryReader {
    private final ImportFile file;
    private final LineReader lines;

    UrlListReader(ImportFile file) throws IOException {
        this.file = file;
        this.lines = new LineReader(file);
    }

    @Override
    public Entry next() throws IOException {
        for (String line = lines.next(); line != null; line = lines.next()) {
            String text = line.trim();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            // A path alone is good enough where the host is given.
            UrlParts url = UrlParts.of(text.startsWith("/") ? "http://" + file.config.host() + text : text);
            if (url == null) {
                file.skip(lines.wrong("the line is no http or https URL"), lines.place());
                continue;
            }
            try {
                RequestText request = new RequestText("GET", url.target, "HTTP/1.1", url.authority, null, false);
                return VegetaReader.entry(request, url, file, lines.place());
            } catch (RequestText.Refused e) {
                file.skip(e.getMessage(), lines.place());
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
