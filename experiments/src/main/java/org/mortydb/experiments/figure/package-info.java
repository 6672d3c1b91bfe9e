/** Figures and tables from records. */
@NullMarked
package org.mortydb.experiments.figure;

import org.jspecify.annotations.NullMarked;
