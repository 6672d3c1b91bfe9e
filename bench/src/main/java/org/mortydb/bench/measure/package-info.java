/** What the processes of a run use of the machine. */
@NullMarked
package org.mortydb.bench.measure;

import org.jspecify.annotations.NullMarked;
