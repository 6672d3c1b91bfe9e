/**
 * Takes a cluster back to an earlier state when more than f servers may have forgotten promises.
 */
@NullMarked
package org.mortydb.cli.recover;

import org.jspecify.annotations.NullMarked;
