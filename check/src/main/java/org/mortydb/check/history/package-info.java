/** Histories of transactions as clients saw them: the input of the checkers. */
@NullMarked
package org.mortydb.check.history;

import org.jspecify.annotations.NullMarked;
