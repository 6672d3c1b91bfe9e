/** Checkers that say whether a history is serializable, and if not, why. */
@NullMarked
package org.mortydb.check.anomaly;

import org.jspecify.annotations.NullMarked;
