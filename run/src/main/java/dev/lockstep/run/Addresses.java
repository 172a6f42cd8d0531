package dev.lockstep.run;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Writes addresses as {@code HOST:PORT}, with brackets around an IPv6 host: as the command line reads them. */
public final class Addresses {
    private Addresses() {}

    public static String print(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return address.getHostString() + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
