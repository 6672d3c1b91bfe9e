/** The resource use of a run's processes. */
@NullMarked
package org.mortydb.bench.measure;

import org.jspecify.annotations.NullMarked;
