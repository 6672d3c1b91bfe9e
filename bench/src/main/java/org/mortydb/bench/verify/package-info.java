/** A short workload that checks a cluster in use. */
@NullMarked
package org.mortydb.bench.verify;

import org.jspecify.annotations.NullMarked;
