/** Two-phase locking with wound-wait, and its choice of timestamps. */
@NullMarked
package org.mortydb.baselines.spanner;

import org.jspecify.annotations.NullMarked;
