/** The systems that can be run behind one client API, by name. */
@NullMarked
package org.mortydb.baselines;

import org.jspecify.annotations.NullMarked;
