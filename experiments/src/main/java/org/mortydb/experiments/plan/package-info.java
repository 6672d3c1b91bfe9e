/** Experiments as data: their points and figures. */
@NullMarked
package org.mortydb.experiments.plan;

import org.jspecify.annotations.NullMarked;
