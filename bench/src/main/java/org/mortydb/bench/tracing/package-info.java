/** A cluster whose transactions are traced, a Zipkin server beside it, and what is found there. */
@NullMarked
package org.mortydb.bench.tracing;

import org.jspecify.annotations.NullMarked;
