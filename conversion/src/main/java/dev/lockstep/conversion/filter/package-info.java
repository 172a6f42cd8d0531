/** A capture of parts of other captures, record by record, in memory that does not grow with them. */
@ValueStyle
package dev.lockstep.conversion.filter;

import dev.lockstep.capture.ValueStyle;
