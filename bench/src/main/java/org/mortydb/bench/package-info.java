/** Workloads, load generation, experiments, and the command line. */
@NullMarked
package org.mortydb.bench;

import org.jspecify.annotations.NullMarked;
