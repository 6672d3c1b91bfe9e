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
 *    Votes.consider         shows the writes; gives the vote (rule 7), or waits (rule 3)
 *      Validator.validate   rules 2 to 7: which vote?
 * </pre>
 *
 * <p>A Decide goes to {@code Outcomes.onClaim} from a client, and to {@code onDecide} from a
 * replica; then to {@code decide}, and to {@code installCommit} or {@code clear}.
 *
 * <p>What is not in use rests as rows of bytes. The rules need to know only this: a key that an
 * open transaction points to is one {@code KeyState} for all, and the record of an installed
 * transaction may be a copy, so nobody changes or keeps it.
 */
@NullMarked
package org.mortydb.protocol.replica;

import org.jspecify.annotations.NullMarked;
