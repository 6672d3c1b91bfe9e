/**
 * Mutation testing by hand-picked bugs: each mutant breaks one rule of the production code, and
 * names the tests and simulations that must notice.
 */
@NullMarked
package org.mortydb.mutants;

import org.jspecify.annotations.NullMarked;
