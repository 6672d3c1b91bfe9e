/** Drawing at random. */
@NullMarked
package org.mortydb.bench.draw;

import org.jspecify.annotations.NullMarked;
