/**
 * Conversions: {@code imports} turns other tools' recordings into captures, {@code exports} turns captures into theirs,
 * {@code filter} makes a smaller capture of others. This package holds what they share, and they do not know each
 * other.
 *
 * <p>Imports record through {@code tap}, so that an imported capture is framed and redacted like a recorded one.
 */
@ValueStyle
package dev.lockstep.conversion;

import dev.lockstep.capture.ValueStyle;
