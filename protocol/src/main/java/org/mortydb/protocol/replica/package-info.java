/**
 * One replica of one partition, as a pure machine (docs/protocol.md, sections 2 to 9, 11 and 15 to
 * 17).
 *
 * <p>{@link org.mortydb.protocol.replica.Replica} hands each message to one part. A read takes two
 * stops: {@code Operations.onGet}, and {@code KeyState}, which knows the visible version and the
 * subscription. A Prepare takes three:
 *
 * <pre>
 *  Preparation.onPrepare    rules 1 and 2: answered without a vote?
 *    Votes.consider         shows the writes; gives the vote, or waits (rule 7)
 *      Validator.validate   rules 2 to 7: which vote?
 * </pre>
 */
@NullMarked
package org.mortydb.protocol.replica;

import org.jspecify.annotations.NullMarked;
