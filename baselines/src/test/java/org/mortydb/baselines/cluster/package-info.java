/** Whole clusters of the systems with leaders, in virtual time and on a bad network. */
@NullMarked
package org.mortydb.baselines.cluster;

import org.jspecify.annotations.NullMarked;
