/** Connections of a command to the servers of a cluster, below the client's API. */
@NullMarked
package org.mortydb.cli.links;

import org.jspecify.annotations.NullMarked;
