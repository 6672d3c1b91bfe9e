/**
 * The times for which a process stood still, as it measures them itself, and what shortens them.
 */
@NullMarked
package org.mortydb.telemetry.pauses;

import org.jspecify.annotations.NullMarked;
