/** Replica and coordinator as pure state machines: events and the time in, effects out. */
@NullMarked
package org.mortydb.protocol;

import org.jspecify.annotations.NullMarked;
