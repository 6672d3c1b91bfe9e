/** Identities by certificate, and the encryption of connections. */
@NullMarked
package org.mortydb.transport.tls;

import org.jspecify.annotations.NullMarked;
