/** The codecs of the baselines against the classes that protoc generates from their schema. */
@NullMarked
package org.mortydb.baselines.codec;

import org.jspecify.annotations.NullMarked;
