/** Metrics of servers and clients, and the pages on which a process shows them. */
@NullMarked
package org.mortydb.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
