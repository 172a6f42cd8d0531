package dev.lockstep.recorder;

import dev.lockstep.net.Transport;

final class EpollProxyTest extends ProxyContract {
    @Override
    Transport transport() {
        return Transport.best();
    }
}
