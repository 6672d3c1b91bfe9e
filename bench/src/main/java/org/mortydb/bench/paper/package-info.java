/** The report: a text with places that records fill. */
@NullMarked
package org.mortydb.bench.paper;

import org.jspecify.annotations.NullMarked;
