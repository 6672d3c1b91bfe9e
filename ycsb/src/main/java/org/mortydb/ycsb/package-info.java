/**
 * The binding of Morty for YCSB, the Yahoo! Cloud Serving Benchmark, and a workload of transactions
 * with a checkable result.
 */
@NullMarked
package org.mortydb.ycsb;

import org.jspecify.annotations.NullMarked;
