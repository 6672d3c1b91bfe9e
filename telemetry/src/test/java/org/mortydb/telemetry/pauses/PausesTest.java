package org.mortydb.telemetry.pauses;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.telemetry.pauses.Pause.Kind;

@Timeout(60)
final class PausesTest {
  private static final long NOW = 1_790_000_000_000_000L;
  private static final long SECOND = 1_000_000;

  private final PauseRecorder recorder = new PauseRecorder();

  private void add(Kind kind, long secondsAgo, long millis) {
    recorder.add(new Pause(kind, NOW - secondsAgo * SECOND, millis * 1_000));
  }

  private PauseSummary summary(Kind kind, long countedFromMicros) {
    return recorder.summary(kind, NOW, 10_000, countedFromMicros);
  }

  @Test
  void figuresAreThoseOfOneKindSinceTheStartAndOfTheLastMinute() {
    add(Kind.COLLECTION, 90, 800);
    add(Kind.COLLECTION, 40, 300);
    add(Kind.COLLECTION, 30, 10);
    add(Kind.COLLECTION, 20, 0);
    add(Kind.STALL, 10, 11);
    assertThat(summary(Kind.COLLECTION, 0))
        .isEqualTo(new PauseSummary(4, 1_110_000, 800_000, 300_000, 1, 300_000));
    assertThat(summary(Kind.STALL, 0))
        .isEqualTo(new PauseSummary(1, 11_000, 11_000, 11_000, 1, 11_000));
    assertThat(summary(Kind.COLLECTION, NOW - 35 * SECOND))
        .as("the start does not count as harmful")
        .isEqualTo(new PauseSummary(4, 1_110_000, 800_000, 300_000, 0, 0));
  }

  @Test
  void keepsTheLatestThatLastedAMillisecond() {
    for (int i = 0; i < 10_000; i++) {
      add(Kind.STALL, 0, i);
    }
    add(Kind.COLLECTION, 0, 0);
    List<Pause> latest = recorder.getLatest();
    assertThat(latest).hasSize(8_192);
    assertThat(latest.getLast().micros()).isEqualTo(9_999_000);
    assertThat(summary(Kind.STALL, 0).count()).isEqualTo(10_000);
  }

  @Test
  void aThreadThatIsBusyStalls() throws Exception {
    CountDownLatch stalled = new CountDownLatch(1);
    recorder.listen(
        pause -> {
          if (pause.micros() >= 100_000) {
            stalled.countDown();
          }
        });
    ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    try (thread;
        StallWatch watch = new StallWatch(thread, recorder)) {
      long before = System.currentTimeMillis() * 1_000;
      Callable<Boolean> busy =
          () -> {
            Thread.sleep(110);
            return true;
          };
      assertThat(thread.submit(busy).get()).isTrue();
      stalled.await();
      assertThat(recorder.getLatest())
          .anySatisfy(
              pause -> {
                assertThat(pause.kind()).isEqualTo(Kind.STALL);
                assertThat(pause.micros()).isGreaterThanOrEqualTo(100_000);
                assertThat(pause.endMicros()).isGreaterThan(before);
              });
    }
  }

  @Test
  void collectionsAreRecordedAsTheJvmReportsThem() throws Exception {
    CountDownLatch collected = new CountDownLatch(1);
    recorder.listen(pause -> collected.countDown());
    try (CollectionPauses collections = new CollectionPauses(recorder)) {
      System.gc();
      collected.await();
    }
    assertThat(recorder.summary(Kind.COLLECTION, NOW, 0, 0).count()).isPositive();
    assertThat(recorder.summary(Kind.STALL, NOW, 0, 0).count()).isZero();
  }

  @Test
  void cyclesOfConcurrentCollectorsAreNoPauses() {
    assertThat(CollectionPauses.stopsThreads("ZGC Minor Cycles")).isFalse();
    assertThat(CollectionPauses.stopsThreads("ZGC Major Pauses")).isTrue();
    assertThat(CollectionPauses.stopsThreads("Shenandoah Cycles")).isFalse();
    assertThat(CollectionPauses.stopsThreads("G1 Young Generation")).isTrue();
  }

  @Test
  void otherProcessesCanAskForThem() throws Exception {
    ObjectName name = new ObjectName("org.mortydb:type=Pauses,test=PausesTest");
    ManagementFactory.getPlatformMBeanServer().registerMBean(recorder, name);
    try {
      add(Kind.STALL, 0, 7);
      PausesMXBean proxy =
          JMX.newMXBeanProxy(ManagementFactory.getPlatformMBeanServer(), name, PausesMXBean.class);
      assertThat(proxy.getLatest()).containsExactly(new Pause(Kind.STALL, NOW, 7_000));
    } finally {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
  }
}
