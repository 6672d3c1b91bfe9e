/** A log that a stable leader replicates to the other replicas of its partition. */
@NullMarked
package org.mortydb.baselines.log;

import org.jspecify.annotations.NullMarked;
