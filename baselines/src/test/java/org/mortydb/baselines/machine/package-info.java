/** What tests of single machines share. */
@NullMarked
package org.mortydb.baselines.machine;

import org.jspecify.annotations.NullMarked;
