/**
 * The documents against the program: every command in them is run, or checked as far as it can be.
 */
@NullMarked
package org.mortydb.distribution.docs;

import org.jspecify.annotations.NullMarked;
