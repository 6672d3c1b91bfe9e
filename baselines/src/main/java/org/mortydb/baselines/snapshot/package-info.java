/** Snapshot isolation, and serializable snapshot isolation. */
@NullMarked
package org.mortydb.baselines.snapshot;

import org.jspecify.annotations.NullMarked;
