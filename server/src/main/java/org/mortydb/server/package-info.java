/** The host of the replica: storage, configuration, administration. */
@NullMarked
package org.mortydb.server;

import org.jspecify.annotations.NullMarked;
