/** Backups of a running cluster at a place of the serial order, and their way back. */
@NullMarked
package org.mortydb.cli.backup;

import org.jspecify.annotations.NullMarked;
