/**
 * What the load generator's transactions saw and wrote, kept on disk, and the check that it is
 * serializable.
 */
@NullMarked
package org.mortydb.check.journal;

import org.jspecify.annotations.NullMarked;
