/** From records to figures and tables. */
@NullMarked
package org.mortydb.experiments.figure;

import org.jspecify.annotations.NullMarked;
