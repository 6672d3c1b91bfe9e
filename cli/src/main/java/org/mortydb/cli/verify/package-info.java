/** Checks of a cluster: of what its servers have stored, and of how it runs. */
@NullMarked
package org.mortydb.cli.verify;

import org.jspecify.annotations.NullMarked;
