/**
 * Histories in Jepsen's form, one operation per line as a map in EDN, and their check by this
 * project's checkers.
 */
@NullMarked
package org.mortydb.check.jepsen;

import org.jspecify.annotations.NullMarked;
