/** Random distributions. */
@NullMarked
package org.mortydb.workloads.sampling;

import org.jspecify.annotations.NullMarked;
