package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.kernel.Kernel;

class SimDiskTest {
  private final Kernel kernel = new Kernel();
  private final List<String> forced = new ArrayList<>();
  private SimDisk disk = disk(1_000, 1);
  private ReplicaLog log = disk.log();

  private SimDisk disk(long maxForceMicros, long seed) {
    return disk(SimDurability.SYNC, maxForceMicros, seed);
  }

  private SimDisk disk(SimDurability durability, long maxForceMicros, long seed) {
    return new SimDisk(
        kernel,
        durability,
        maxForceMicros,
        new SplittableRandom(seed),
        () -> forced.add("up to " + disk.durable()));
  }

  @Test
  void forcesTogetherWhateverCameDuringAForce() {
    append(1);
    disk.flush();
    append(2);
    append(3);
    disk.flush();
    assertThat(forced).isEmpty();
    kernel.runUntil(10_000);
    assertThat(forced).containsExactly("up to 1", "up to 3");
  }

  @Test
  void aDiskThatTakesNoTimeIsDurableAtOnce() {
    disk = disk(0, 1);
    log = disk.log();
    append(1);
    disk.flush();
    assertThat(forced).containsExactly("up to 1");
  }

  @Test
  void aCrashKeepsWhatWasForcedAndAnyPrefixOfWhatWasNot() {
    TreeSet<Integer> sizes = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      disk = disk(1_000, seed);
      ReplicaLog first = disk.log();
      log = disk.log();
      append(1);
      disk.flush();
      kernel.runUntil(kernel.nowMicros() + 1_000);
      disk.append(first, prepared(2));
      append(3);
      append(4);
      int lost = disk.crash(false);
      List<LogRecord> kept = replay(log);
      assertThat(kept).startsWith(prepared(1));
      assertThat(kept)
          .isEqualTo(List.of(prepared(1), prepared(3), prepared(4)).subList(0, kept.size()));
      // One order for all logs: what came before a record that survived has survived.
      assertThat(first.size()).isGreaterThanOrEqualTo(kept.size() > 1 ? 1 : 0);
      assertThat(lost).isEqualTo(4 - first.size() - kept.size());
      assertThat(log.holds(execution(4), disk.durable())).isEqualTo(kept.size() == 3);
      sizes.add(first.size() + kept.size());
    }
    assertThat(sizes).containsExactly(1, 2, 3, 4);
  }

  /** What was written survives the process; a power failure keeps a part of it. */
  @Test
  void anAsyncDiskLosesUnforcedRecordsWithThePowerAlone() {
    boolean lost = false;
    for (long seed = 0; seed < 20; seed++) {
      disk = disk(SimDurability.ASYNC, 1_000, seed);
      log = disk.log();
      append(1);
      disk.flush();
      assertThat(disk.kept()).isEqualTo(1);
      assertThat(disk.durable()).isZero();
      assertThat(disk.crash(false)).isZero();
      assertThat(replay(log)).containsExactly(prepared(1));
      lost |= disk.crash(true) == 1;
      assertThat(log.hasLost(execution(1))).isEqualTo(replay(log).isEmpty());
    }
    assertThat(lost).isTrue();
  }

  @Test
  void whatIsNotForcedIsNotHeldDurably() {
    append(1);
    assertThat(log.holds(execution(1), disk.durable())).isFalse();
    disk.flush();
    kernel.runUntil(1_000);
    assertThat(log.holds(execution(1), disk.durable())).isTrue();
    assertThat(log.holds(execution(2), disk.durable())).isFalse();
  }

  @Test
  void aCheckpointReplacesTheLogBeforeItsCutOnceItIsDurable() {
    disk.append(log, prepared(1));
    disk.append(log, prepared(2));
    disk.append(log, prepared(3));
    disk.checkpoint(log, List.of(prepared(9)), 1);
    assertThat(replay(log)).containsExactly(prepared(1), prepared(2), prepared(3));
    disk.flush();
    kernel.runUntil(1_000);
    assertThat(log.hasCheckpoint()).isTrue();
    assertThat(log.cutNumber()).isEqualTo(1);
    assertThat(replay(log)).containsExactly(prepared(9), prepared(2), prepared(3));
    assertThat(log.holds(execution(1), disk.durable())).isTrue();
  }

  @Test
  void aCheckpointThatIsTornByACrashCountsAsAbsent() {
    boolean torn = false;
    boolean whole = false;
    for (long seed = 0; seed < 50; seed++) {
      disk = disk(1_000, seed);
      log = disk.log();
      disk.append(log, prepared(1));
      disk.checkpoint(log, List.of(prepared(9)), 1);
      disk.crash(false);
      torn |= replay(log).equals(List.of(prepared(1)));
      whole |= replay(log).equals(List.of(prepared(9)));
      assertThat(replay(log)).isIn(List.of(), List.of(prepared(1)), List.of(prepared(9)));
    }
    assertThat(torn).isTrue();
    assertThat(whole).isTrue();
  }

  private void append(int txn) {
    disk.append(log, prepared(txn));
  }

  private static List<LogRecord> replay(ReplicaLog from) {
    List<LogRecord> records = new ArrayList<>();
    from.replay(records::add);
    return records;
  }

  private static ExecutionId execution(int txn) {
    return new ExecutionId(new TxnId(txn, 1, 0), 0);
  }

  private static LogRecord prepared(int txn) {
    return new LogRecord.Prepared(execution(txn), List.of(), List.of(), List.of(0), false);
  }
}
