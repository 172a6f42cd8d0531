package dev.lockstep.cli;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Writes addresses as {@link AddressConverter} reads them. */
final class Addresses {
    private Addresses() {}

    static String print(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return address.getHostString() + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
