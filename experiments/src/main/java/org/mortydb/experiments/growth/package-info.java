/** What {@code morty growth} has measured, for the report. */
@NullMarked
package org.mortydb.experiments.growth;

import org.jspecify.annotations.NullMarked;
