/**
 * Histories in the form that Jepsen writes: operations as maps in EDN, one in a line; and their
 * check by the project's own checkers.
 */
@NullMarked
package org.mortydb.check.jepsen;

import org.jspecify.annotations.NullMarked;
