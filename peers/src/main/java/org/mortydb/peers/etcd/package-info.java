/** Three etcd processes, and etcd as a versioned store. */
@NullMarked
package org.mortydb.peers.etcd;

import org.jspecify.annotations.NullMarked;
