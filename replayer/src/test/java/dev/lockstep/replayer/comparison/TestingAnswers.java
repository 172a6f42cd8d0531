package dev.lockstep.replayer.comparison;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Answers as an event loop would note them. */
final class TestingAnswers {
    private TestingAnswers() {}

    static void answer(AnswerLog log, int n, int status, String body, String... headers) {
        AnswerDigest digest = new AnswerDigest();
        digest.begin(log, n);
        for (String header : headers) {
            ByteBuf line = Unpooled.copiedBuffer(header, StandardCharsets.US_ASCII);
            digest.headerLine(line, 0, line.writerIndex());
        }
        ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII);
        digest.body(bytes, 0, bytes.writerIndex());
        digest.end(n);
        log.answered(n, status, body.length());
    }
}
