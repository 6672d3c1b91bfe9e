/** Runs the model checker on the specification of the protocol. */
@NullMarked
package org.mortydb.spec;

import org.jspecify.annotations.NullMarked;
