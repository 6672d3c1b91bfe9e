/**
 * Workloads as plug-ins: what a workload declares, which ones are installed, and a workload chosen
 * with values for its options.
 */
@NullMarked
package org.mortydb.workloads;

import org.jspecify.annotations.NullMarked;
