package org.mortydb.protocol.replica;

import java.util.List;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Write;

/**
 * What one execution read and wrote at this partition, with the keys looked up once.
 *
 * @param number the execution
 * @param reads its read set here
 * @param writes its write set here
 * @param participants all its participants
 * @param readKeys the key states of {@code reads}, in the same order
 * @param writeKeys the key states of {@code writes}, in the same order
 */
record ExecutionRecord(
    int number,
    List<Read> reads,
    List<Write> writes,
    List<Integer> participants,
    KeyState[] readKeys,
    KeyState[] writeKeys) {}
