/** Three Cassandra processes, and Accord's transactions as a versioned store. */
@NullMarked
package org.mortydb.peers.cassandra;

import org.jspecify.annotations.NullMarked;
