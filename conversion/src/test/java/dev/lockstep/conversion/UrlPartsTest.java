package dev.lockstep.conversion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class UrlPartsTest {
    @Test
    void readsAddressesAndTakesNoOtherTextForOne() {
        for (String address : new String[] {"0.0.0.0", "10.20.30.40", "255.249.199.9", "::1", "[2001:db8::7]"}) {
            String bare = address.replaceAll("[\\[\\]]", "");
            assertEquals(new InetSocketAddress(bare, 80), UrlParts.address(address, 80), address);
        }
        // Java asks a name server for some of these.
        for (String other : new String[] {"999.1.1.1", "1.2.3.256", "1.2.3", "1.2.3.4.5", ".:1", "a.example", ""}) {
            assertNull(UrlParts.address(other, 80), other);
        }
        assertNull(UrlParts.address("10.20.30.40", 65_536));
    }
}
