/**
 * Workloads as plug-ins: the declaration of a workload, the installed workloads, and a workload
 * with chosen options.
 */
@NullMarked
package org.mortydb.workloads;

import org.jspecify.annotations.NullMarked;
