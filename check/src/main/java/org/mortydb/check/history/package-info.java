/** What clients saw, transaction by transaction: the input of the checkers. */
@NullMarked
package org.mortydb.check.history;

import org.jspecify.annotations.NullMarked;
