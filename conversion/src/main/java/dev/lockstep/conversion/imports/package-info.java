/**
 * Other tools' recordings to captures. An {@link EntryReader} for each format reads entries; {@link ReorderWindow} puts
 * them in the order of their times; {@link ImportSink} records them. Packets go through {@code packets} instead.
 */
@ValueStyle
package dev.lockstep.conversion.imports;

import dev.lockstep.capture.ValueStyle;
