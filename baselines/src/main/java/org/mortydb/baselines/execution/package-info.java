/** The state that the clients of all baselines keep for a running transaction. */
@NullMarked
package org.mortydb.baselines.execution;

import org.jspecify.annotations.NullMarked;
