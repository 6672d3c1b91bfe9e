/** Certificates for test clusters. */
@NullMarked
package org.mortydb.bench.certs;

import org.jspecify.annotations.NullMarked;
