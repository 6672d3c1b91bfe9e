/** Experiments as data: what is varied, the points that this makes, and the figures wanted. */
@NullMarked
package org.mortydb.experiments.plan;

import org.jspecify.annotations.NullMarked;
