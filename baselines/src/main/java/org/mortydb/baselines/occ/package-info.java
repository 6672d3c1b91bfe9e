/** Optimistic concurrency control: validation when a transaction prepares. */
@NullMarked
package org.mortydb.baselines.occ;

import org.jspecify.annotations.NullMarked;
