/** What tests and the simulator see of the machines of any system. */
@NullMarked
package org.mortydb.baselines.inspect;

import org.jspecify.annotations.NullMarked;
