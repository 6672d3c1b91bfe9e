/** What the commands that run real processes share. */
@NullMarked
package org.mortydb.faults.kit;

import org.jspecify.annotations.NullMarked;
