/** The state of a running cluster, as an operator's machine sees it. */
@NullMarked
package org.mortydb.cli.status;

import org.jspecify.annotations.NullMarked;
