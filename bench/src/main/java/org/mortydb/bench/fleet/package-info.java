/** Runs on several hosts, by their agents. */
@NullMarked
package org.mortydb.bench.fleet;

import org.jspecify.annotations.NullMarked;
