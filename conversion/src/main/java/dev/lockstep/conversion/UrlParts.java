package dev.lockstep.conversion;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/** An absolute URL of HTTP taken apart without judging its characters. Immutable. */
public final class UrlParts {
    /** {@code http}, {@code https}, {@code ws} or {@code wss}. */
    public final String scheme;
    /** Host and port as they are written, without user information. */
    public final String authority;
    /** Path and query, at least {@code /}. */
    public final String target;

    private UrlParts(String scheme, String authority, String target) {
        this.scheme = scheme;
        this.authority = authority;
        this.target = target;
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
        authority = authority.substring(authority.lastIndexOf('@') + 1);
        if (!isHost(authority)) {
            return null;
        }
        String rest = url.substring(end);
        int fragment = rest.indexOf('#');
        rest = fragment < 0 ? rest : rest.substring(0, fragment);
        return new UrlParts(scheme, authority, rest.startsWith("/") ? rest : "/" + rest);
    }

    /** The address of a host that is written as an address, or null. Never asks a name server. */
    public static InetSocketAddress address(String host, int port) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        boolean numeric = bare.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}")
                || bare.indexOf(':') >= 0 && bare.length() <= 45 && bare.matches("[0-9A-Fa-f:.]+");
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
