package dev.lockstep.recorder;

import dev.lockstep.net.Transport;

final class NioProxyTest extends ProxyContract {
    @Override
    Transport transport() {
        return Transport.nio("for the test");
    }
}
