/** The messages of the systems with leaders. */
@NullMarked
package org.mortydb.baselines.message;

import org.jspecify.annotations.NullMarked;
