/** A log that a stable leader replicates within its partition. */
@NullMarked
package org.mortydb.baselines.log;

import org.jspecify.annotations.NullMarked;
