/** Serialization and validity windows: measured in virtual time, summed up, drawn. */
@NullMarked
package org.mortydb.experiments.windows;

import org.jspecify.annotations.NullMarked;
