/** Certificates for test clusters. */
@NullMarked
package org.mortydb.cli.certs;

import org.jspecify.annotations.NullMarked;
