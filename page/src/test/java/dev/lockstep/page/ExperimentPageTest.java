package dev.lockstep.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ExperimentPageTest {
    @Test
    void showsWhatPartsPrintedAsText() {
        String html = ExperimentPage.html(
                "JVMs <under> memory", "{\"printed\": \"</script><script>alert(1)</script>\"}", "c2 </pre><b>");

        assertEquals(
                4, html.split("</script>", -1).length - 1, "the data, the library, what all pages draw with, its own");
        assertFalse(html.contains("alert(1)</script>"));
        assertTrue(html.contains("\\u003c/script\\u003e"));
        assertTrue(html.contains("<title>Lockstep: JVMs &lt;under&gt; memory</title>"));
        assertTrue(html.contains("c2 &lt;/pre&gt;&lt;b&gt;"));
        assertFalse(html.contains("{{"));
    }
}
