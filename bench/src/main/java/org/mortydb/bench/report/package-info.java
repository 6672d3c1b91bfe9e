/** The reports of runs: a table for readers, and a record in JSON. */
@NullMarked
package org.mortydb.bench.report;

import org.jspecify.annotations.NullMarked;
