/**
 * The chain of a hot key: where the time goes between the updates of one key that read from each
 * other, measured in virtual time.
 */
@NullMarked
package org.mortydb.experiments.chain;

import org.jspecify.annotations.NullMarked;
