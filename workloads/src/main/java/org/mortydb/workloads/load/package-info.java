/** The load generator: runs a workload's transactions and measures them. */
@NullMarked
package org.mortydb.workloads.load;

import org.jspecify.annotations.NullMarked;
