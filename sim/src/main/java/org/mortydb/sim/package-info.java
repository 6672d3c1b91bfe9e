/** Deterministic simulation of clusters under faults, with checks of histories and invariants. */
@NullMarked
package org.mortydb.sim;

import org.jspecify.annotations.NullMarked;
