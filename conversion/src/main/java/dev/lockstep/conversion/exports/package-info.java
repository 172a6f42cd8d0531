/** Captures to other tools' formats: GoReplay's file, HAR and packets. */
@ValueStyle
package dev.lockstep.conversion.exports;

import dev.lockstep.capture.ValueStyle;
