/** Fixtures for the tests of single machines. */
@NullMarked
package org.mortydb.baselines.machine;

import org.jspecify.annotations.NullMarked;
