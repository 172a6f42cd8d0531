package dev.lockstep.cli.options;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code HOST:PORT} and {@code [IPv6]:PORT}, and looks the host up. */
public final class AddressConverter implements ITypeConverter<InetSocketAddress> {
    @Override
    public InetSocketAddress convert(String value) {
        InetSocketAddress read = read(value);
        InetSocketAddress address = new InetSocketAddress(read.getHostString(), read.getPort());
        if (address.isUnresolved()) {
            throw new TypeConversionException("host '" + read.getHostString() + "' of '" + value
                    + "' has no address here; check its spelling or give an address");
        }
        return address;
    }

    /** Reads the address without looking its host up. */
    public static InetSocketAddress read(String value) {
        int colon = value.lastIndexOf(':');
        String host = colon < 0 ? "" : value.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
        }
        int port = colon < 0 ? -1 : port(value.substring(colon + 1));
        if (host.isEmpty() || port < 0 || (host.indexOf(':') >= 0 && !bracketed)) {
            throw new TypeConversionException(
                    "expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, found '" + value + "'");
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    private static int port(String text) {
        if (!text.matches("[0-9]{1,5}")) {
            return -1;
        }
        int port = Integer.parseInt(text);
        return port <= 65_535 ? port : -1;
    }
}
