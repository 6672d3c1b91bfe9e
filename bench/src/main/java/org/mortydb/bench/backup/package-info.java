/** Backups of a running cluster at a place of the serial order, and their way back. */
@NullMarked
package org.mortydb.bench.backup;

import org.jspecify.annotations.NullMarked;
