/** Checkers that decide whether a history is serializable, and explain each violation. */
@NullMarked
package org.mortydb.check.anomaly;

import org.jspecify.annotations.NullMarked;
