/** YCSB A to F, in transactions of several operations. */
@NullMarked
package org.mortydb.workloads.ycsb;

import org.jspecify.annotations.NullMarked;
