/**
 * Spans of sampled transactions for Zipkin, created from the observations of clients and servers.
 * {@link org.mortydb.telemetry.tracing.TransactionTracing} is the entry point;
 * docs/reference/tracing.md explains the traces.
 */
@NullMarked
package org.mortydb.telemetry.tracing;

import org.jspecify.annotations.NullMarked;
