/** Deterministic simulation of a deployment, and the checkers of the histories it yields. */
@NullMarked
package org.mortydb.sim;

import org.jspecify.annotations.NullMarked;
