/** The state of a running cluster, as seen from the operator's machine. */
@NullMarked
package org.mortydb.cli.status;

import org.jspecify.annotations.NullMarked;
