/** Checks the conditions of a workload's records by reading them in transactions. */
@NullMarked
package org.mortydb.workloads.audit;

import org.jspecify.annotations.NullMarked;
