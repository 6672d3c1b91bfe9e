/** The baselines as plug-ins (docs/reference/baselines.md). */
@NullMarked
package org.mortydb.baselines.systems;

import org.jspecify.annotations.NullMarked;
