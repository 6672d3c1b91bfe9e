/** The messages of the systems that have leaders. */
@NullMarked
package org.mortydb.baselines.message;

import org.jspecify.annotations.NullMarked;
