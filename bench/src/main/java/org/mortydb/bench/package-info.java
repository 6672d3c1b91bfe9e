/** Measurements: clusters for runs, simulated runs, microbenchmarks, and their commands. */
@NullMarked
package org.mortydb.bench;

import org.jspecify.annotations.NullMarked;
