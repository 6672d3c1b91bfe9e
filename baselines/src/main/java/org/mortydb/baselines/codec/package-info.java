/** The messages of the baselines as bytes, in the form of baselines.proto. */
@NullMarked
package org.mortydb.baselines.codec;

import org.jspecify.annotations.NullMarked;
