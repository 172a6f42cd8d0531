package dev.lockstep.conversion;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/** An absolute URL of HTTP taken apart without judging its characters. Immutable. */
public final class UrlParts {
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})";
    /** Of other text that looks like an address, such as 999.1.1.1, Java would ask a name server. */
    private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");

    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:][0-9A-Fa-f:.]+");

    /** {@code http}, {@code https}, {@code ws} or {@code wss}. */
    public final String scheme;
    /** Host and port as they are written, without user information. */
    public final String authority;
    /** Path and query, at least {@code /}. */
    public final String target;
    /** Whether user information stood before the host, for which many clients send an Authorization. */
    public final boolean namedUser;

    private UrlParts(String scheme, String authority, String target, boolean namedUser) {
        this.scheme = scheme;
        this.authority = authority;
        this.target = target;
        this.namedUser = namedUser;
    }

    /** Null when the text is no absolute URL of HTTP. */
    public static UrlParts of(String url) {
        int colon = url.indexOf("://");
        if (colon < 0) {
            return null;
        }
        String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") && !scheme.equals("ws") && !scheme.equals("wss")) {
            return null;
        }
        int from = colon + 3;
        int end = from;
        while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        String authority = url.substring(from, end);
        int hostFrom = authority.lastIndexOf('@') + 1;
        authority = authority.substring(hostFrom);
        if (!isHost(authority)) {
            return null;
        }
        String rest = url.substring(end);
        int fragment = rest.indexOf('#');
        rest = fragment < 0 ? rest : rest.substring(0, fragment);
        return new UrlParts(scheme, authority, rest.startsWith("/") ? rest : "/" + rest, hostFrom > 0);
    }

    /** The address of a host that is written as an address, or null. Never asks a name server. */
    public static InetSocketAddress address(String host, int port) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        boolean numeric = IPV4.matcher(bare).matches()
                || bare.indexOf(':') >= 0
                        && bare.length() <= 45
                        && IPV6.matcher(bare).matches();
        if (!numeric || port < 0 || port > 0xFFFF) {
            return null;
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(bare), port);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Whether text, which may be null, can stand in a Host header. */
    public static boolean isHost(String text) {
        return text != null
                && !text.isEmpty()
                && text.chars().noneMatch(c -> c <= ' ' || c == 0x7F || c == '/' || c == '@');
    }
}
