/**
 * Journals of the load generator's transactions on disk, and the check that they are serializable.
 */
@NullMarked
package org.mortydb.check.journal;

import org.jspecify.annotations.NullMarked;
