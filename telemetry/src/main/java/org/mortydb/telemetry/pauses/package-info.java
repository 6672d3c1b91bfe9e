/** The times for which a process stood still, as it measures them itself. */
@NullMarked
package org.mortydb.telemetry.pauses;

import org.jspecify.annotations.NullMarked;
