/** The encoding of the baselines' messages, as baselines.proto defines it. */
@NullMarked
package org.mortydb.baselines.codec;

import org.jspecify.annotations.NullMarked;
