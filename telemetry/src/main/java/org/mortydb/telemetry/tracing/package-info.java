/**
 * Spans of sampled transactions for Zipkin, made of what observers of clients and servers see. The
 * entry is {@link org.mortydb.telemetry.tracing.TransactionTracing}; docs/reference/tracing.md
 * explains the traces.
 */
@NullMarked
package org.mortydb.telemetry.tracing;

import org.jspecify.annotations.NullMarked;
