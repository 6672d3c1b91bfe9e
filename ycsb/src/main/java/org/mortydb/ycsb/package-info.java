/**
 * Morty under YCSB, the Yahoo! Cloud Serving Benchmark: a binding for its stock client, and a
 * workload of transactions whose result can be checked.
 */
@NullMarked
package org.mortydb.ycsb;

import org.jspecify.annotations.NullMarked;
