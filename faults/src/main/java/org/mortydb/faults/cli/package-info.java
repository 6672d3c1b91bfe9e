/** Commands that run real processes under faults and judge what clients saw. */
@NullMarked
package org.mortydb.faults.cli;

import org.jspecify.annotations.NullMarked;
