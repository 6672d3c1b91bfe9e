package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.server.PauseWatch.HarmfulPauses;
import org.mortydb.server.PauseWatch.LeftOut;
import org.mortydb.server.status.PauseStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.Warning;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseSummary;
import org.mortydb.telemetry.pauses.PausesMXBean;
import org.mortydb.transport.LinkTraffic;

@Timeout(60)
class PauseWatchTest {
  private static Set<ObjectName> named(String server) throws Exception {
    String pattern = PauseWatch.JMX_DOMAIN + ":type=Pauses,server=" + ObjectName.quote(server);
    return beans().queryNames(new ObjectName(pattern + ",*"), null);
  }

  private static MBeanServer beans() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  @Test
  void anEventLoopThatIsBusyIsSeenInTheStatusAndByJmx() throws Exception {
    EventLoop loop = new DefaultEventLoop();
    CompletableFuture<Pause> heard = new CompletableFuture<>();
    try (PauseWatch watch = new PauseWatch("busy:1")) {
      watch.start(List.of(loop));
      watch.listen(
          pause -> {
            if (pause.kind() == Pause.Kind.STALL && pause.micros() >= 100_000) {
              heard.complete(pause);
            }
          });
      loop.execute(
          () -> {
            try {
              Thread.sleep(110);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      Pause stall = heard.get(30, TimeUnit.SECONDS);
      PauseStatus status = watch.status();
      assertThat(status.stalls().longestMicros()).isGreaterThanOrEqualTo(stall.micros());
      assertThat(status.latestLongestMicros()).isGreaterThanOrEqualTo(stall.micros());
      assertThat(status.stalls().latestHarmful()).as("the process has just started").isZero();
      PausesMXBean shown =
          JMX.newMXBeanProxy(beans(), named("busy:1").iterator().next(), PausesMXBean.class);
      assertThat(shown.getLatest()).contains(stall);
    } finally {
      var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    assertThat(named("busy:1")).isEmpty();
  }

  @Test
  void onePauseInTenSecondsIsLoggedWithTheLongestOfTheOthers() {
    HarmfulPauses pauses = new HarmfulPauses();
    assertThat(pauses.admit(-5, 20_000)).isEqualTo(LeftOut.NONE);
    assertThat(pauses.admit(1_000, 30_000)).isNull();
    assertThat(pauses.admit(TimeUnit.SECONDS.toNanos(9), 25_000)).isNull();
    assertThat(pauses.admit(TimeUnit.SECONDS.toNanos(10), 20_000))
        .isEqualTo(new LeftOut(2, 30_000))
        .hasToString(" The log omits 2 more of up to 30 ms since its last line about pauses.");
    assertThat(pauses.admit(TimeUnit.SECONDS.toNanos(25), 20_000)).isEqualTo(LeftOut.NONE);
  }

  @Test
  void everyVeryLongPauseIsLogged() {
    HarmfulPauses pauses = new HarmfulPauses();
    assertThat(pauses.admit(0, 20_000)).isEqualTo(LeftOut.NONE);
    assertThat(pauses.admit(1, HarmfulPauses.LONG_MICROS - 1)).isNull();
    assertThat(pauses.admit(2, HarmfulPauses.LONG_MICROS)).isNotNull();
    assertThat(pauses.admit(3, HarmfulPauses.LONG_MICROS)).isEqualTo(LeftOut.NONE);
  }

  @Test
  void warnsOfPausesThatTakeMoreThanAPercentOfTheLastMinute() {
    PauseSummary little = new PauseSummary(9, 9_000_000, 800_000, 500_000, 2, 600_000);
    PauseSummary much = new PauseSummary(9, 9_000_000, 800_000, 500_000, 2, 600_001);
    assertThat(warnings(little, little)).isEmpty();
    assertThat(warnings(little, much)).containsExactly(Warning.Kind.PAUSE);
    assertThat(warnings(much, much)).containsExactly(Warning.Kind.PAUSE);
  }

  private static List<Warning.Kind> warnings(PauseSummary collections, PauseSummary stalls) {
    ServerStatus status =
        new ServerStatus(
            "c",
            "morty",
            "s",
            "r",
            0,
            0,
            0,
            0,
            List.of(),
            List.of(),
            List.of(),
            0,
            LinkTraffic.NONE,
            List.of(),
            new PauseStatus(PauseWatch.HARMFUL_MICROS, collections, stalls),
            null,
            Map.of());
    return Warning.of(status).stream().map(Warning::kind).toList();
  }
}
