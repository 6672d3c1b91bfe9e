/** Checkers that say whether a history is serializable, and if not, why. */
@NullMarked
package org.mortydb.sim.check;

import org.jspecify.annotations.NullMarked;
