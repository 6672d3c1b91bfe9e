/** Whole clusters on this machine, for a run. */
@NullMarked
package org.mortydb.bench.cluster;

import org.jspecify.annotations.NullMarked;
