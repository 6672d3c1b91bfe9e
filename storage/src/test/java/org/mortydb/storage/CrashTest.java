package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The power fails before some operation of the disk, also while a start reads what the crash before
 * has left. The numbers that were appended come back without a gap, and at least those that were
 * kept. A checkpoint holds how many there were when it began.
 */
@Timeout(120)
class CrashTest {
  private static final int CRASHES = 40;

  /** What the world knows: the records that were appended, in their order, with their positions. */
  private final List<Long> positions = new ArrayList<>();

  private int restored;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void whatWasKeptComesBack(long seed) throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    SimulatedDisk disk = new SimulatedDisk();
    int mustBeThere = 0;
    long incarnation = 0;
    for (int crash = 0; crash < CRASHES; crash++) {
      AtomicReference<Opened> running = new AtomicReference<>();
      AtomicReference<SimulatedDisk> crashed = new AtomicReference<>();
      AtomicLong keptAtCrash = new AtomicLong(-1);
      AtomicLong left = new AtomicLong(random.nextInt(60));
      SimulatedDisk before = disk;
      before.watch(
          (operation, path) -> {
            if (crashed.get() != null) {
              throw new IOException("the power is off");
            }
            if (left.getAndDecrement() == 0) {
              Opened opened = running.get();
              keptAtCrash.set(opened == null ? -1 : opened.kept.get());
              crashed.set(before.crash(random));
              throw new IOException("the power is off");
            }
          });
      try {
        Opened opened = open(disk, mustBeThere);
        running.set(opened);
        mustBeThere = restored;
        assertThat(opened.storage().incarnation()).isGreaterThan(incarnation);
        incarnation = opened.storage().incarnation();
        run(opened, crashed, random);
      } catch (StorageException | LogStoppedException e) {
        assertThat(crashed.get()).describedAs("seed %d, crash %d: %s", seed, crash, e).isNotNull();
      }
      long kept = keptAtCrash.get();
      for (int i = mustBeThere; i < positions.size() && positions.get(i) <= kept; i++) {
        mustBeThere = i + 1;
      }
      disk = crashed.get();
    }
    open(disk, mustBeThere);
    assertThat(positions.size()).isGreaterThan(50);
  }

  private Opened open(SimulatedDisk disk, int mustBeThere) throws IOException {
    Opened opened = Opened.open(disk);
    List<String> numbers = opened.fromLog;
    int first =
        opened.fromCheckpoint.isEmpty() ? 0 : Integer.parseInt(opened.fromCheckpoint.getFirst());
    for (int i = 0; i < numbers.size(); i++) {
      assertThat(numbers.get(i)).startsWith((first + i) + " ");
    }
    restored = first + numbers.size();
    assertThat(restored).isBetween(mustBeThere, positions.size());
    // What was not kept and has not come back is gone for good.
    positions.subList(restored, positions.size()).clear();
    return opened;
  }

  private void run(Opened opened, AtomicReference<SimulatedDisk> crashed, RandomGenerator random)
      throws Exception {
    CompletableFuture<CheckpointInfo> checkpoint = CompletableFuture.completedFuture(null);
    while (crashed.get() == null) {
      if (checkpoint.isDone() && random.nextInt(12) == 0) {
        CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
        boolean taken = writer.offer((byte) 1, Opened.bytes(Integer.toString(positions.size())));
        assertThat(taken).isTrue();
        checkpoint = writer.finish();
      }
      int burst = 1 + random.nextInt(4);
      for (int i = 0; i < burst; i++) {
        String text = positions.size() + " " + "x".repeat(random.nextInt(900));
        positions.add(opened.append(text));
      }
      // What writes may be slower than this loop; who heeds that finds the log never full.
      if (random.nextBoolean() || opened.log().isCongested()) {
        opened.log().awaitForced(opened.log().position());
      }
    }
  }
}
