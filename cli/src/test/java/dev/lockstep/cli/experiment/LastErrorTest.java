package dev.lockstep.cli.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class LastErrorTest {
    @Test
    void keepsWhyItFailedBehindAViewThatWasErased() throws IOException {
        StringWriter shown = new StringWriter();
        LastError said = new LastError("replay: ", shown, false);
        String all = "c2: starting\n\u001b[2K\rc2   12 req/s\r\u001b[Kreplay: target graal: not ready in 60 s\nbye\n";

        said.write(all);

        assertEquals("target graal: not ready in 60 s", said.message());
        assertEquals(all, shown.toString());
        assertEquals("", new LastError("replay: ", shown, false).message());
    }
}
