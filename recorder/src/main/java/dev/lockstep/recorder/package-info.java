/**
 * Recording of live traffic: {@link RecordingProxy} passes it through, {@link PassiveRecording} looks at the packets of
 * an interface. Both hand the bytes of each connection to {@code tap}, which makes the records.
 *
 * <p>This package knows sockets, TLS and the kernel's packet rings. It knows nothing of replays and measurements.
 */
@ValueStyle
package dev.lockstep.recorder;

import dev.lockstep.capture.ValueStyle;
