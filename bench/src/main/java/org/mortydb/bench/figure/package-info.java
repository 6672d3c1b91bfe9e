/** How figures look, and the figure of one run. */
@NullMarked
package org.mortydb.bench.figure;

import org.jspecify.annotations.NullMarked;
