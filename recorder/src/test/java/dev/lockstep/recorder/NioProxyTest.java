package dev.lockstep.recorder;

import dev.lockstep.net.Transport;
import org.junit.jupiter.api.Tag;

@Tag("full")
final class NioProxyTest extends ProxyContract {
    @Override
    Transport transport() {
        return Transport.nio("for the test");
    }
}
