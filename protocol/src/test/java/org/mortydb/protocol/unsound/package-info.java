/**
 * Coordinators with broken rules, for tests of the checkers. The tests of module sim compile this
 * folder as well.
 */
@NullMarked
package org.mortydb.protocol.unsound;

import org.jspecify.annotations.NullMarked;
