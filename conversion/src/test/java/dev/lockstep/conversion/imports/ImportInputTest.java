package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.exports.TestingCaptures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pipes, and files that are cut or damaged. */
class ImportInputTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));
    private static final Path PCAP = DATA.resolve("pcap-http/zeek/ipv6-http-atomic-frag.pcap");

    @TempDir
    private Path folder;

    private TestingImports imports;

    @BeforeEach
    void begin() {
        imports = new TestingImports(folder);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        }
        return packed.toByteArray();
    }

    /** One packet here, the next there, as of two interfaces or directions that are captured at the same time. */
    @Test
    void mixesPacketFilesThatOverlapByTheirTimes() throws IOException {
        ByteBuffer whole = ByteBuffer.wrap(
                        Files.readAllBytes(DATA.resolve("pcap-http/suricata/http-range-multiflows__input.pcap")))
                .order(ByteOrder.LITTLE_ENDIAN);
        int headerBytes = 24;
        ByteArrayOutputStream[] halves = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
        for (ByteArrayOutputStream half : halves) {
            half.write(whole.array(), 0, headerBytes);
        }
        int packets = 0;
        for (int at = headerBytes; at < whole.capacity(); packets++) {
            int length = 16 + whole.getInt(at + 8);
            halves[packets % 2].write(whole.array(), at, length);
            at += length;
        }
        Path odd = Files.write(folder.resolve("odd.pcap"), halves[0].toByteArray());
        Path even = Files.write(folder.resolve("even.pcap"), halves[1].toByteArray());
        Path all = Files.write(folder.resolve("all.pcap"), whole.array());

        List<String> requests = imports.run(all).requests();

        assertTrue(requests.size() > 1, requests + "");
        assertEquals(requests, imports.run(List.of(even, odd), config -> config).requests());
    }

    @Test
    void tellsHowManyPacketsCameBehindAClockThatWasSetBack() throws IOException {
        ByteBuffer packets = ByteBuffer.wrap(
                        Files.readAllBytes(DATA.resolve("pcap-http/suricata/http-range-multiflows__input.pcap")))
                .order(ByteOrder.LITTLE_ENDIAN);
        int setBack = 0;
        int index = 0;
        for (int at = 24; at < packets.capacity(); at += 16 + packets.getInt(at + 8)) {
            if (index++ >= 10) {
                packets.putInt(at, packets.getInt(at) - 3600);
                setBack++;
            }
        }
        Path file = Files.write(folder.resolve("set-back.pcap"), packets.array());

        assertEquals(
                List.of(setBack + " packets more than 1 s before earlier ones, as where a clock was set back: counted"
                        + " at the time of those []"),
                imports.run(file).changed().stream()
                        .filter(line -> line.contains("set back"))
                        .collect(Collectors.toList()));
    }

    @Test
    void putsBackWhatItWouldReplaceWhereItIsStopped() throws IOException {
        Path urls = imports.file("urls", "http://a/\n".repeat(5));
        Path old = Files.writeString(folder.resolve("old.bin"), "the old one");
        ImportConfig.Builder config = ImportConfig.builder()
                .inputs(List.of(urls))
                .output(old)
                .captureOptions(CaptureOptions.builder().overwrite(true));
        int[] asked = {0};
        ImportConfig stopped = config.cancelled(() -> ++asked[0] > 2).build();

        ConversionException e = assertThrows(ConversionException.class, () -> TrafficImport.run(stopped));

        assertEquals(
                old + ": not replaced: the import was ended by a signal; what was there is as it was", e.getMessage());
        assertEquals("the old one", Files.readString(old));
        TrafficImport.run(config.cancelled(() -> false).build());
        assertEquals(5, TestingCaptures.requests(old, false).size());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(Set.of(urls, old), files.collect(Collectors.toSet()));
        }
    }

    private Path pipe() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        return pipe;
    }

    @Test
    @Timeout(60)
    void readsAPipeOnce() throws IOException, InterruptedException {
        Path pipe = pipe();
        byte[] har = Files.readAllBytes(DATA.resolve("har/mitmproxy/charles.har"));
        for (byte[] content : new byte[][] {Files.readAllBytes(PCAP), gzip(Files.readAllBytes(PCAP)), har}) {
            Path file = folder.resolve("file");
            Files.write(file, content);
            Thread writer = new Thread(() -> {
                try {
                    Files.write(pipe, content);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            writer.start();

            assertEquals(
                    imports.run(file).requests().size(),
                    imports.run(pipe).requests().size());
            writer.join();
        }
    }

    @Test
    @Timeout(60)
    void refusesAPipeBesideOtherFiles() throws IOException, InterruptedException {
        Path pipe = pipe();
        ConversionException e =
                assertThrows(ConversionException.class, () -> imports.run(List.of(PCAP, pipe), config -> config));

        assertTrue(e.getMessage().contains("is a pipe beside other files"), e.getMessage());
    }

    @Test
    void importsASmallDamagedGzipAsFarAsItGoes() throws IOException {
        byte[] packed = gzip(Files.readAllBytes(PCAP));
        Path file = folder.resolve("a.pcap.gz");
        Files.write(file, Arrays.copyOf(packed, packed.length - 20));

        TestingImports.Result result = imports.run(file);

        assertTrue(result.requests().size() > 0, result.changed().toString());
        String damage = "the gzip data ends early, at byte " + (packed.length - 20) + " of the file, after ";
        assertTrue(
                result.changed().stream().anyMatch(line -> line.contains(damage) && line.endsWith("[a.pcap.gz]")),
                result.changed().toString());
    }

    @Test
    void tellsTheDamageWhereNothingCouldBeRead() throws IOException {
        byte[] packed = gzip(Files.readAllBytes(PCAP));
        Path file = folder.resolve("a.pcap.gz");
        Files.write(file, Arrays.copyOf(packed, 60));
        ConversionException nothing = assertThrows(ConversionException.class, () -> imports.run(file));
        assertTrue(nothing.getMessage().contains("the gzip data ends early, at byte 60"), nothing.getMessage());

        Path har = imports.file("cut.har", "{\"log\": {\"entries\": [{\"startedDateTime\": ");
        ConversionException cut = assertThrows(ConversionException.class, () -> imports.run(har));
        assertTrue(cut.getMessage().contains("(cut.har line 1, entry 1)"), cut.getMessage());

        Path log = folder.resolve("urls.gz");
        byte[] urls = gzip("http://a/1\nhttp://a/2\nhttp://a/3\n".getBytes(StandardCharsets.US_ASCII));
        urls[urls.length - 6] ^= 1;
        Files.write(log, urls);
        TestingImports.Result result = imports.run(log);
        assertEquals(3, result.texts().size());
        assertTrue(
                result.changed().get(0).contains("Corrupt GZIP trailer"),
                result.changed().toString());
    }

    @Test
    void tellsAHeadersNameFromItsValue() throws IOException {
        String entry = "{\"log\": {\"entries\": [{\"startedDateTime\": \"2020-01-01T00:00:00Z\", \"request\": "
                + "{\"method\": \"GET\", \"url\": \"http://a/\", \"headers\": [{\"name\": \"GET / HTTP/1.1\", "
                + "\"value\": \"x\"}, {\"name\": \"A\", \"value\": \"\\u0001\"}]}}]}}";

        assertEquals(
                List.of(
                        "1 a header's name is no word that HTTP allows: left out [entry 1]",
                        "1 a header's value holds control characters: left out [entry 1]"),
                imports.run(imports.file("a.har", entry)).changed());
    }
}
