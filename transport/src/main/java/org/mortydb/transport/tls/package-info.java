/** Who a process is by its certificate, and the encryption of its connections. */
@NullMarked
package org.mortydb.transport.tls;

import org.jspecify.annotations.NullMarked;
