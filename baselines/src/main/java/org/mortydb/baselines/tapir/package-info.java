/** TAPIR: optimistic concurrency control over inconsistent replication (docs/baselines.md). */
@NullMarked
package org.mortydb.baselines.tapir;

import org.jspecify.annotations.NullMarked;
