/** TPC-C: nine tables, five transactions, a loader, and the consistency conditions. */
@NullMarked
package org.mortydb.workloads.tpcc;

import org.jspecify.annotations.NullMarked;
