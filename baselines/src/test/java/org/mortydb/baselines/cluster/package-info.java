/** Whole clusters of the systems with leaders, in virtual time and on an unreliable network. */
@NullMarked
package org.mortydb.baselines.cluster;

import org.jspecify.annotations.NullMarked;
