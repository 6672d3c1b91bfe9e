/** A demonstration of tracing: a cluster with traced transactions, Zipkin, and the traces found. */
@NullMarked
package org.mortydb.bench.tracing;

import org.jspecify.annotations.NullMarked;
