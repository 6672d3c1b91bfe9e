/** Serialization and validity windows: measurement in virtual time, record, table and picture. */
@NullMarked
package org.mortydb.experiments.windows;

import org.jspecify.annotations.NullMarked;
