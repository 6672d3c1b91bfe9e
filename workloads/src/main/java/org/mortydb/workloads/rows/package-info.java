/**
 * What workloads store: rows that carry the stamp of their writer, read and written through tables
 * that trace it, so that every history can be checked.
 */
@NullMarked
package org.mortydb.workloads.rows;

import org.jspecify.annotations.NullMarked;
