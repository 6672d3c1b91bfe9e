/** What clients saw, transaction by transaction: the input of the checkers. */
@NullMarked
package org.mortydb.sim.history;

import org.jspecify.annotations.NullMarked;
