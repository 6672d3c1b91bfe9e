/**
 * TAPIR: optimistic concurrency control over inconsistent replication
 * (docs/reference/baselines.md).
 */
@NullMarked
package org.mortydb.baselines.tapir;

import org.jspecify.annotations.NullMarked;
