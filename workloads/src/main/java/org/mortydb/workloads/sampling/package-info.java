/** Drawing at random. */
@NullMarked
package org.mortydb.workloads.sampling;

import org.jspecify.annotations.NullMarked;
