/** Backups of a running cluster at a place in the serial order, and their restore. */
@NullMarked
package org.mortydb.cli.backup;

import org.jspecify.annotations.NullMarked;
