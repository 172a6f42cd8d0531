package dev.lockstep.conversion;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HttpHeadTest {
    @Test
    void joinsAHeaderThatGoesOnOnTheNextLine() {
        HttpHead head = head("\r\nPOST /a HTTP/1.1\r\nHost: h \r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n");

        assertEquals("POST /a HTTP/1.1", head.firstLine);
        assertEquals(2, head.headers.size());
        assertEquals("h", head.value("host"));
        assertEquals("chunked", head.value("transfer-encoding"));
        assertEquals(62, head.bytes);
    }

    @Test
    void readsAHeadOfAFirstLineOnly() {
        HttpHead head = head("GET / HTTP/1.0\n\n");

        assertEquals("GET / HTTP/1.0", head.firstLine);
        assertEquals(0, head.headers.size());
        assertEquals(16, head.bytes);
    }

    private static HttpHead head(String text) {
        return HttpHead.of(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
