/** Clusters on this machine, for one run. */
@NullMarked
package org.mortydb.bench.cluster;

import org.jspecify.annotations.NullMarked;
