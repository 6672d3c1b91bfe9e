/** Two-phase commit over replicated logs, for any concurrency control. */
@NullMarked
package org.mortydb.baselines.twophase;

import org.jspecify.annotations.NullMarked;
