package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.conversion.UrlParts;
import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options that make the request to a URL that stands in place of the capture, in the letters of hey and curl.
 * Filled by picocli, then only read.
 */
@Heading("What to send")
final class UrlOptions {
    private static final Pattern URL = Pattern.compile("(?i)([a-z][a-z0-9+.-]*)://.*", Pattern.DOTALL);
    /** What a file is hardly called: a host and a port, or a host of several words and a path. */
    private static final Pattern WITHOUT_SCHEME =
            Pattern.compile("(?i)(?:[a-z0-9.-]+|\\[[0-9a-f:.]+]):[0-9]{1,5}(?:/.*)?"
                    + "|(?:localhost|[a-z0-9-]+(?:[.][a-z0-9-]+)+)/.*");

    private static final Pattern METHOD = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,63}");
    private static final Pattern NOT_IN_TARGETS = Pattern.compile("[^!-~]");
    /** What a request and its index take of memory is small beside it. */
    private static final int LARGEST_BODY = 64 << 20;

    @Option(
            names = "-m",
            paramLabel = "METHOD",
            description = "Method of the request to a URL. Default: GET, or POST with -d or -D.")
    private String method;

    @Option(names = "-d", paramLabel = "BODY", description = "Body of the request to a URL. For a time see -z.")
    private String body;

    @Option(names = "-D", paramLabel = "FILE", description = "File with the body of the request to a URL.")
    private Path bodyFile;

    @Option(names = "-T", paramLabel = "TYPE", description = "Content-Type of the request to a URL. Default: none.")
    private String contentType;

    /** Whether an argument is a URL, and not the path of a file. */
    static boolean isUrl(String argument) {
        return URL.matcher(argument).matches();
    }

    /** Whether an argument reads like a URL of which only the scheme is missing. */
    static boolean isWithoutScheme(String argument) {
        return WITHOUT_SCHEME.matcher(argument).matches();
    }

    /**
     * Checks that no option asks for a request of its own, which goes with a URL.
     *
     * @param timeout whether {@code -t} is given, wrk's letter for its threads
     */
    void checkNone(boolean timeout) {
        checkBodyIsNoTime(timeout);
        String option = method != null
                ? "-m"
                : body != null ? "-d" : bodyFile != null ? "-D" : contentType != null ? "-T" : null;
        if (option != null) {
            throw new UsageException(option + ": expected a URL such as http://127.0.0.1:8080/path, whose request it"
                    + " changes; requests of a capture are sent as recorded");
        }
    }

    private void checkBodyIsNoTime(boolean timeout) {
        if (body == null) {
            return;
        }
        try {
            new DurationConverter.SecondsByDefault().convert(body);
        } catch (TypeConversionException e) {
            return;
        }
        throw new UsageException("-d: expected the body of a request, as hey and curl take it, found '" + body
                + "', which is a time; did you mean -z " + body + "?"
                + (timeout ? " And -t is the time allowed for an answer, not wrk's threads." : "")
                + " A body that reads so goes into a file, -D FILE");
    }

    /**
     * Returns the request to a URL.
     *
     * @param headers fields as curl takes them: {@code Name: value} sets one, {@code Name:} removes it
     * @throws UsageException where the URL or an option is wrong
     * @throws CliException where the file with the body cannot be used
     */
    UrlRequest request(String url, List<String> headers, boolean timeout) {
        checkBodyIsNoTime(timeout);
        UrlParts parts = UrlParts.of(url);
        if (parts == null || !parts.scheme.equals("http") && !parts.scheme.equals("https")) {
            throw new UsageException("expected a URL such as http://127.0.0.1:8080/path or https://..., found '"
                    + withoutSecrets(url) + "'");
        }
        if (url.regionMatches(true, parts.scheme.length() + 3, parts.authority, 0, parts.authority.length())) {
            if (NOT_IN_TARGETS.matcher(parts.target + parts.authority).find()) {
                throw new UsageException("expected a URL with blanks and other than ASCII characters written as %20 and"
                        + " the like, found '" + withoutSecrets(url) + "'");
            }
        } else {
            throw new UsageException(
                    "expected a URL without a user and password; give them with -H 'Authorization: Basic ...'");
        }
        if (method != null && !METHOD.matcher(method).matches()) {
            throw new UsageException("-m: expected a method such as POST, found '" + method + "'");
        }
        if (body != null && bodyFile != null) {
            throw new UsageException("-d and -D both give the body; leave one out");
        }
        if (body != null && body.startsWith("@")) {
            throw new UsageException("-d: expected the body itself, found '" + body + "'; a file is given with -D "
                    + (body.length() > 1 ? body.substring(1) : "FILE"));
        }
        if (contentType != null && contentType.chars().anyMatch(c -> c < ' ' || c >= 0x7F)) {
            throw new UsageException(
                    "-T: expected a content type such as application/json, found '" + contentType + "'");
        }
        byte[] bytes = body != null ? body.getBytes(StandardCharsets.UTF_8) : bodyFile != null ? read() : null;
        return new UrlRequest(
                parts, method != null ? method : bytes == null ? "GET" : "POST", contentType, headers, bytes);
    }

    /** Returns a URL to quote, without its query and what may be a password before its host. */
    static String withoutSecrets(String url) {
        int query = url.indexOf('?');
        String shown = query < 0 ? url : url.substring(0, query) + "?...";
        // Of one with a mistake, nobody knows which @ is which.
        int sign = url.indexOf('@');
        return sign < 0 ? shown : url.substring(0, Math.min(sign, url.indexOf("://") + 3)) + "...";
    }

    private byte[] read() {
        try (InputStream in = Files.newInputStream(bodyFile)) {
            byte[] bytes = in.readNBytes(LARGEST_BODY + 1);
            if (bytes.length > LARGEST_BODY) {
                throw new CliException("-D: " + bodyFile + ": expected at most " + LARGEST_BODY + " bytes, found more");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new CliException("-D: " + bodyFile + ": expected a file with the body, found none");
        } catch (IOException e) {
            throw new CliException("-D: " + bodyFile + ": cannot be read: " + MeasurementException.reason(e));
        }
    }
}
