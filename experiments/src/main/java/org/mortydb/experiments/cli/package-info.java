/** The commands that run experiments and report on them. */
@NullMarked
package org.mortydb.experiments.cli;

import org.jspecify.annotations.NullMarked;
