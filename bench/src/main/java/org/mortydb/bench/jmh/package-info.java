/** Microbenchmarks of the hot paths. */
@NullMarked
package org.mortydb.bench.jmh;

import org.jspecify.annotations.NullMarked;
