/**
 * Parts of messages for the tests of all codecs. The tests of module baselines compile this folder
 * as well.
 */
@NullMarked
package org.mortydb.wire.parts;

import org.jspecify.annotations.NullMarked;
