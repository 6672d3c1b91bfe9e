/** Two-phase locking with wound-wait. */
@NullMarked
package org.mortydb.baselines.spanner;

import org.jspecify.annotations.NullMarked;
