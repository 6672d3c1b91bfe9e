/** From records to figures and tables. */
@NullMarked
package org.mortydb.bench.figure;

import org.jspecify.annotations.NullMarked;
