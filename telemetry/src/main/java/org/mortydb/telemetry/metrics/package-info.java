/** The metrics of servers and clients, and the HTTP server that exposes them. */
@NullMarked
package org.mortydb.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
