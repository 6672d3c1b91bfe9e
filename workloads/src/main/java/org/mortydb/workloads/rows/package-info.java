/**
 * The rows that workloads store. Each row carries the stamp of its writer, and all reads and writes
 * are traced, so that every history can be checked.
 */
@NullMarked
package org.mortydb.workloads.rows;

import org.jspecify.annotations.NullMarked;
