/** The client over the network: engines on event loops, with links to all servers. */
@NullMarked
package org.mortydb.client.net;

import org.jspecify.annotations.NullMarked;
