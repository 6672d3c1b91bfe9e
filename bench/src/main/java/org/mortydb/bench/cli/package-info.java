/** The command line. */
@NullMarked
package org.mortydb.bench.cli;

import org.jspecify.annotations.NullMarked;
