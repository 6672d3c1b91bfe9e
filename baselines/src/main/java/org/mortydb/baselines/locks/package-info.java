/** Locks with wound-wait. */
@NullMarked
package org.mortydb.baselines.locks;

import org.jspecify.annotations.NullMarked;
