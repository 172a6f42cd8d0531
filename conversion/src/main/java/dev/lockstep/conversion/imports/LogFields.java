package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.UrlParts;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The fields of one line of a log in the common or combined format, unescaped. Immutable. */
final class LogFields {
    /** A name or an address, and its port, as Apache writes them before the client with {@code %v:%p}. */
    private static final Pattern VIRTUAL_HOST =
            Pattern.compile("([0-9A-Za-z][0-9A-Za-z._-]*|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    /** The virtual host, without the port that a URL leaves out; null where none stands before the client. */
    final String host;

    final String client;
    final String time;
    final String request;
    final int status;
    /** Null where the line ends before it. */
    final String referer;
    /** Null where the line ends before it, or within it. */
    final String userAgent;
    /** The line ends within a quoted header. */
    final boolean cut;

    private LogFields(
            String host,
            String client,
            String time,
            String request,
            int status,
            String referer,
            String userAgent,
            boolean cut) {
        this.host = host;
        this.client = client;
        this.time = time;
        this.request = request;
        this.status = status;
        this.referer = referer;
        this.userAgent = userAgent;
        this.cut = cut;
    }

    /** Null when the line is not of these formats. */
    static LogFields of(String line) {
        int clientEnd = line.indexOf(' ');
        int timeStart = line.indexOf(" [");
        int timeEnd = timeStart < 0 ? -1 : line.indexOf("] \"", timeStart);
        if (clientEnd <= 0 || timeEnd < 0 || timeStart < clientEnd) {
            return null;
        }
        int requestStart = timeEnd + 3;
        int requestEnd = closingQuote(line, requestStart);
        if (requestEnd < 0) {
            return null;
        }
        int statusStart = requestEnd + 2;
        int statusEnd = statusStart + 3;
        if (line.length() < statusEnd
                || line.charAt(requestEnd + 1) != ' '
                || !line.substring(statusStart, statusEnd).matches("[0-9]{3}")) {
            return null;
        }
        String referer = null;
        String userAgent = null;
        boolean cut = false;
        int quote = line.indexOf('"', statusEnd);
        if (quote >= 0) {
            int end = closingQuote(line, quote + 1);
            cut = end < 0;
            if (!cut) {
                referer = unescaped(line, quote + 1, end);
                quote = line.indexOf('"', end + 1);
                if (quote >= 0) {
                    end = closingQuote(line, quote + 1);
                    cut = end < 0;
                    userAgent = cut ? null : unescaped(line, quote + 1, end);
                }
            }
        }
        String client = line.substring(0, clientEnd);
        String host = null;
        if (timeStart > clientEnd) {
            String second = line.substring(clientEnd + 1, line.indexOf(' ', clientEnd + 1));
            host = virtualHost(client, second);
            client = host == null ? client : second;
        }
        return new LogFields(
                host,
                client,
                line.substring(timeStart + 2, timeEnd),
                unescaped(line, requestStart, requestEnd),
                Integer.parseInt(line.substring(statusStart, statusEnd)),
                referer,
                userAgent,
                cut);
    }

    /**
     * Null unless an address, the client's, stands behind what is no address, but may be the name of a virtual host.
     */
    private static String virtualHost(String first, String second) {
        Matcher matcher = VIRTUAL_HOST.matcher(first);
        if (UrlParts.address(second, 0) == null || UrlParts.address(first, 0) != null || !matcher.matches()) {
            return null;
        }
        boolean usual = ":80".equals(matcher.group(2)) || ":443".equals(matcher.group(2));
        return usual ? matcher.group(1) : first;
    }

    private static int closingQuote(String line, int from) {
        for (int i = from; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                return i;
            }
            if (c == '\\') {
                i++;
            }
        }
        return -1;
    }

    private static String unescaped(String line, int from, int to) {
        StringBuilder text = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            char c = line.charAt(i);
            if (c != '\\' || i + 1 == to) {
                text.append(c);
                continue;
            }
            char escaped = line.charAt(++i);
            int plain = "bnrtvf".indexOf(escaped);
            if (escaped == 'x' && i + 2 < to && isHex(line.charAt(i + 1)) && isHex(line.charAt(i + 2))) {
                text.append((char) Integer.parseInt(line.substring(i + 1, i + 3), 16));
                i += 2;
            } else if (plain >= 0) {
                text.append("\b\n\r\t\013\f".charAt(plain));
            } else if (escaped == '"' || escaped == '\\') {
                text.append(escaped);
            } else {
                text.append(c).append(escaped);
            }
        }
        return text.toString();
    }

    private static boolean isHex(char c) {
        return Character.digit(c, 16) >= 0 && c < 0x80;
    }
}
