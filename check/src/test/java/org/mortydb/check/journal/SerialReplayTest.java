package org.mortydb.check.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

final class SerialReplayTest {
  private static final int RECORDS = 20;

  @TempDir Path folder;

  /** A store that runs one transaction after the other, and keeps who wrote what last. */
  private final ObservedRead[] current = new ObservedRead[RECORDS];

  private final List<ObservedTransaction> history = new ArrayList<>();
  private long timeMicros = 1_000;
  private int sequence;

  SerialReplayTest() {
    for (int i = 0; i < RECORDS; i++) {
      current[i] = new ObservedRead(null, i, ObservedRead.ABSENT, 0, 0);
    }
  }

  private ObservedRead read(@Nullable ObservedRead previous, int record) {
    ObservedRead now = current[record];
    return new ObservedRead(
        previous, record, now.writerSession(), now.writerSequence(), now.valueHash());
  }

  /** A committed transaction that reads two records and writes one. */
  private ObservedTransaction commit(int readA, int readB, int written) {
    sequence++;
    int session = sequence % 3;
    ObservedTransaction t =
        new ObservedTransaction(
            new TxnId(timeMicros += 7, 40 + session, 0),
            true,
            session,
            sequence,
            read(read(null, readA), readB),
            new ObservedWrite(null, written, 1_000 + sequence));
    current[written] = new ObservedRead(null, written, session, sequence, 1_000 + sequence);
    history.add(t);
    return t;
  }

  private ReplayVerdict check(int logs) throws IOException {
    return check(logs, Integer.MAX_VALUE);
  }

  private ReplayVerdict check(int logs, int firstAtEnd) throws IOException {
    List<HistoryLog> open = new ArrayList<>();
    for (int i = 0; i < logs; i++) {
      open.add(new HistoryLog(folder.resolve("log" + i)));
    }
    for (ObservedTransaction t : history) {
      open.get(t.session() % logs).append(t);
    }
    for (HistoryLog log : open) {
      log.close();
    }
    return SerialReplay.check(open, RECORDS, record -> "record " + record, firstAtEnd);
  }

  private void serialHistory(int transactions) {
    Random random = new Random(5);
    for (int i = 0; i < transactions; i++) {
      commit(random.nextInt(RECORDS), random.nextInt(RECORDS), random.nextInt(RECORDS));
    }
  }

  /** Ends come in another order than ids, but not by much. */
  private void shuffleLocally() {
    for (int i = 0; i + 40 < history.size(); i += 20) {
      Collections.shuffle(history.subList(i, i + 40), new Random(i));
    }
  }

  /** A reader of the state that is here now, which began some time after its place. */
  private void readPast(int record, long ageMicros) {
    timeMicros += 7;
    sequence++;
    ObservedRead seen = read(null, record);
    history.add(
        new ObservedTransaction(
            new TxnId(timeMicros, 90, 0), true, 9, sequence, seen, null, ageMicros));
  }

  @Test
  void answersFromThePastAreStaleIfAnAnswerOfThePresentWouldDiffer() throws IOException {
    commit(0, 1, 2);
    readPast(2, 7); // replaced by the next transaction, which comes as the reader begins
    commit(0, 1, 2);
    readPast(2, 6); // replaced only after the reader began
    commit(0, 1, 2);
    readPast(3, 100); // never replaced
    commit(0, 1, 2);
    ReplayVerdict verdict = check(1);
    assertThat(verdict.serializable()).isTrue();
    assertThat(verdict.past()).isEqualTo(new PastAnswers(3, 1, 0.3333, 7, 100, 100));
  }

  @Test
  void historiesOfThePresentHaveNoAnswersFromThePast() throws IOException {
    serialHistory(20);
    assertThat(check(1).past()).isNull();
  }

  @Test
  void aSerialHistoryIsSerializable() throws IOException {
    serialHistory(20_000);
    shuffleLocally();
    ReplayVerdict verdict = check(3);
    assertThat(verdict.serializable()).as("%s", verdict.explanations()).isTrue();
    assertThat(verdict.transactions()).isEqualTo(20_000);
    assertThat(verdict.reads()).isEqualTo(40_000);
  }

  /** Two transactions write the same value. The reader has seen the first of them. */
  @Test
  void aReadOfAnEarlierWriterOfTheSameValueIsAViolation() throws IOException {
    for (int writer = 1; writer <= 2; writer++) {
      ObservedWrite write = new ObservedWrite(null, 2, 7);
      history.add(new ObservedTransaction(new TxnId(writer, 40, 0), true, 0, writer, null, write));
    }
    ObservedRead first = new ObservedRead(null, 2, 0, 1, 7);
    history.add(new ObservedTransaction(new TxnId(3, 41, 0), true, 1, 1, first, null));
    assertThat(check(2).violations()).isEqualTo(1);
  }

  @Test
  void anAcknowledgedWriteThatIsGoneAtTheEndIsLost() throws IOException {
    commit(0, 1, 2);
    ObservedRead before = current[2];
    commit(0, 1, 2);
    TxnId id = new TxnId(timeMicros += 7, 50, 0);
    history.add(new ObservedTransaction(id, true, 3, 1, before, null));
    ReplayVerdict verdict = check(1, 3);
    assertThat(verdict.lost()).isEqualTo(1);
    assertThat(verdict.violations()).isEqualTo(1);
  }

  @Test
  void aViolationBeforeTheEndIsNoLoss() throws IOException {
    commit(0, 1, 2);
    current[2] = new ObservedRead(null, 2, ObservedRead.ABSENT, 0, 0);
    commit(2, 1, 3);
    ReplayVerdict verdict = check(1, 3);
    assertThat(verdict.violations()).isEqualTo(1);
    assertThat(verdict.lost()).isZero();
  }

  @Test
  void aTransactionThatEndsMuchLaterThanItsIdIsPutInItsPlace() throws IOException {
    serialHistory(20_000);
    history.add(history.remove(10));
    assertThat(check(1).serializable()).isTrue();
  }

  @Test
  void aMissedWriteIsFound() throws IOException {
    serialHistory(100);
    ObservedRead before = current[3];
    ObservedTransaction writer = commit(0, 1, 3);
    ObservedTransaction reader = commit(2, 4, 5);
    history.set(
        history.size() - 1,
        new ObservedTransaction(
            reader.id(), true, reader.session(), reader.sequence(), before, reader.lastWrite()));
    ReplayVerdict verdict = check(2);
    assertThat(verdict.violations()).isEqualTo(1);
    assertThat(verdict.explanations().getFirst())
        .contains("record 3")
        .contains(reader.id().toString())
        .contains("attempt " + writer.sequence());
  }

  @Test
  void aWriteThatNeverCommittedIsFound() throws IOException {
    serialHistory(100);
    ObservedTransaction writer = commit(0, 1, 3);
    commit(3, 4, 5);
    history.remove(writer);
    assertThat(check(2).serializable()).isFalse();
  }

  @Test
  void aValueOfAnExecutionThatDidNotCommitIsFound() throws IOException {
    serialHistory(100);
    ObservedTransaction writer = commit(0, 1, 3);
    current[3] = new ObservedRead(null, 3, writer.session(), writer.sequence(), 666);
    commit(3, 4, 5);
    ReplayVerdict verdict = check(2);
    assertThat(verdict.violations()).isEqualTo(1);
    assertThat(verdict.explanations().getFirst()).contains("0000029a");
  }

  @Test
  void twoTransactionsWithOneIdAreFound() throws IOException {
    serialHistory(100);
    ObservedTransaction first = commit(0, 1, 2);
    ObservedTransaction second = commit(0, 1, 2);
    history.set(
        history.size() - 1,
        new ObservedTransaction(first.id(), true, 9, second.sequence(), null, second.lastWrite()));
    assertThat(check(2).explanations().getFirst()).contains("two transactions have the id");
  }

  @Test
  void anUnknownOutcomeCountsAsFarAsItWasSeen() throws IOException {
    serialHistory(100);
    ObservedTransaction unseen = commit(0, 1, 2);
    history.set(history.indexOf(unseen), unknown(unseen));
    // Nobody has read record 2 since; whoever writes it next hides it.
    commit(5, 6, 2);
    ObservedTransaction seen = commit(0, 1, 3);
    history.set(history.indexOf(seen), unknown(seen));
    commit(3, 4, 5);
    ReplayVerdict verdict = check(2);
    assertThat(verdict.explanations()).isEmpty();
    assertThat(verdict.unknown()).isEqualTo(2);
  }

  @Test
  void anUnknownOutcomeThatWasSeenMayNotBeMissedLater() throws IOException {
    serialHistory(100);
    ObservedRead before = current[3];
    ObservedTransaction writer = commit(0, 1, 3);
    history.set(history.indexOf(writer), unknown(writer));
    commit(3, 4, 5);
    current[3] = before;
    commit(3, 4, 6);
    assertThat(check(2).violations()).isEqualTo(1);
  }

  /** A committed transaction that deletes a record; as an unknown one it may have done so. */
  private ObservedTransaction delete(int record, boolean certain) {
    ObservedTransaction t =
        new ObservedTransaction(
            new TxnId(timeMicros += 7, 60, 0),
            certain,
            5,
            ++sequence,
            null,
            new ObservedWrite(null, record, true, 0));
    history.add(t);
    return t;
  }

  private void absent(int record) {
    current[record] = new ObservedRead(null, record, ObservedRead.ABSENT, 0, 0);
  }

  @Test
  void whatWasDeletedIsGone() throws IOException {
    commit(0, 1, 2);
    delete(2, true);
    ObservedRead before = current[2];
    absent(2);
    commit(2, 3, 4);
    assertThat(check(1).explanations()).isEmpty();
    current[2] = before;
    commit(2, 3, 4);
    folder = folder.resolve("again");
    assertThat(folder.toFile().mkdir()).isTrue();
    ReplayVerdict verdict = check(1);
    assertThat(verdict.violations()).isEqualTo(1);
    assertThat(verdict.explanations().getFirst()).contains("is no transaction");
  }

  @Test
  void whatMayHaveBeenDeletedMayBeGone() throws IOException {
    commit(0, 1, 2);
    delete(2, false);
    absent(2);
    commit(2, 3, 4);
    commit(2, 3, 4);
    assertThat(check(1).explanations()).isEmpty();
  }

  @Test
  void whatWasSeenAfterADeletionOfUnknownOutcomeStays() throws IOException {
    commit(0, 1, 2);
    delete(2, false);
    commit(2, 3, 4);
    absent(2);
    commit(2, 3, 4);
    assertThat(check(1).violations()).isEqualTo(1);
  }

  @Test
  void whatWasWrittenAfterADeletionOfUnknownOutcomeStays() throws IOException {
    commit(0, 1, 2);
    delete(2, false);
    commit(0, 1, 2);
    absent(2);
    commit(2, 3, 4);
    assertThat(check(1).violations()).isEqualTo(1);
  }

  @Test
  void whatNobodyMayHaveDeletedIsNotGone() throws IOException {
    commit(0, 1, 2);
    delete(3, false);
    absent(2);
    commit(2, 3, 4);
    assertThat(check(1).violations()).isEqualTo(1);
  }

  @Test
  void ofTwoWritesOfARecordTheLastOneCounts() throws IOException {
    ObservedTransaction writer = commit(0, 1, 2);
    ObservedWrite twice = new ObservedWrite(new ObservedWrite(null, 2, 666), 2, 667);
    history.set(
        0,
        new ObservedTransaction(
            writer.id(), true, writer.session(), writer.sequence(), writer.lastRead(), twice));
    current[2] = new ObservedRead(null, 2, writer.session(), writer.sequence(), 667);
    commit(2, 3, 4);
    assertThat(check(1).explanations()).isEmpty();
  }

  /** A transaction that writes to a record without stamps. */
  private void merge(int record, Value write, boolean certain) {
    history.add(
        new ObservedTransaction(
            new TxnId(timeMicros += 7, 70, 0),
            certain,
            6,
            ++sequence,
            null,
            new ObservedWrite(null, record, write)));
  }

  private void sees(int record, long number) {
    Value value = Merge.apply(Value.ABSENT, Merge.add(number));
    current[record] =
        new ObservedRead(null, record, ObservedRead.UNSTAMPED, 0, Trace.hashOf(value));
    commit(record, record, 0);
  }

  @Test
  void mergesAreApplied() throws IOException {
    commit(5, 5, 0); // absent
    merge(5, Merge.add(3), true);
    sees(5, 3);
    merge(5, Merge.apply(Value.ABSENT, Merge.add(10)), true);
    merge(5, Merge.then(Merge.add(1), Merge.max(7)), true);
    sees(5, 11);
    merge(5, Merge.append(new byte[] {1}, 3), true); // fails
    merge(6, Merge.append(new byte[] {1}, 3), true);
    shuffleLocally();
    assertThat(check(2).explanations()).isEmpty();
  }

  @Test
  void aMergeThatWasLostOrCountedTwiceIsFound() throws IOException {
    merge(5, Merge.add(3), true);
    merge(5, Merge.add(4), true);
    sees(5, 7);
    sees(5, 3);
    sees(5, 11);
    absent(5);
    commit(5, 1, 2);
    ReplayVerdict verdict = check(1);
    assertThat(verdict.violations()).isEqualTo(5); // two transactions read twice
    assertThat(verdict.explanations().getFirst()).contains("record 5", "the merges make");
    assertThat(verdict.explanations().getLast()).contains("record 5 as absent");
  }

  @Test
  void aMergeOfUnknownOutcomeCountsOnceOrNot() throws IOException {
    merge(5, Merge.add(3), true);
    merge(5, Merge.add(40), false);
    merge(5, Merge.add(500), false);
    merge(5, Merge.add(6_000), true);
    sees(5, 6_503);
    sees(5, 6_503);
    assertThat(check(1).explanations()).isEmpty();
    sees(5, 6_543); // nothing has changed since
    folder = folder.resolve("again");
    assertThat(folder.toFile().mkdir()).isTrue();
    assertThat(check(1).violations()).isEqualTo(2);
  }

  private static ObservedTransaction unknown(ObservedTransaction t) {
    return new ObservedTransaction(t.id(), false, t.session(), t.sequence(), null, null);
  }
}
