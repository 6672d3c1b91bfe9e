/** Serialization and validity windows: measured in virtual time, summed up, drawn. */
@NullMarked
package org.mortydb.bench.windows;

import org.jspecify.annotations.NullMarked;
