/** The report: a text with placeholders that records fill. */
@NullMarked
package org.mortydb.experiments.paper;

import org.jspecify.annotations.NullMarked;
