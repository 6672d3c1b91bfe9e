/** What must hold of a workload's records, seen by reading them in transactions. */
@NullMarked
package org.mortydb.workloads.audit;

import org.jspecify.annotations.NullMarked;
