package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;

class CpuTest {
  private final Kernel kernel = new Kernel();
  private final List<String> done = new ArrayList<>();

  @Test
  void doesFreeWorkAtOnce() {
    new Cpu(kernel, 1).actor().submit(0, () -> done.add("x"));
    assertThat(done).containsExactly("x");
  }

  @Test
  void workTakesEffectWhenItsServiceIsOver() {
    Cpu cpu = new Cpu(kernel, 1);
    cpu.actor().submit(7_000, () -> done.add("x@" + kernel.nowMicros()));
    assertThat(done).isEmpty();
    kernel.runUntil(100);
    assertThat(done).containsExactly("x@7");
  }

  @Test
  void anActorHasOneThread() {
    Cpu cpu = new Cpu(kernel, 4);
    Cpu.Actor actor = cpu.actor();
    for (int i = 0; i < 3; i++) {
      actor.submit(10_000, () -> done.add("@" + kernel.nowMicros()));
    }
    assertThat(done).isEmpty();
    kernel.runUntil(100);
    assertThat(done).containsExactly("@10", "@20", "@30");
  }

  @Test
  void actorsShareTheCores() {
    Cpu cpu = new Cpu(kernel, 2);
    for (int i = 0; i < 4; i++) {
      cpu.actor().submit(10_000, () -> done.add("@" + kernel.nowMicros()));
    }
    kernel.runUntil(100);
    assertThat(done).containsExactly("@10", "@10", "@20", "@20");
  }

  @Test
  void freeWorkStaysBehindWhatItsActorHasToDoBefore() {
    Cpu.Actor actor = new Cpu(kernel, 1).actor();
    actor.submit(5_000, () -> done.add("first"));
    actor.submit(0, () -> done.add("second"));
    kernel.runUntil(100);
    assertThat(done).containsExactly("first", "second");
  }

  @Test
  void shortServicesAddUpToTheNanosecond() {
    Cpu cpu = new Cpu(kernel, 1);
    Cpu.Actor actor = cpu.actor();
    for (int i = 0; i < 10_000; i++) {
      actor.submit(150, () -> done.add("@" + kernel.nowMicros()));
    }
    kernel.runUntil(1_500);
    assertThat(done).hasSize(10_000).last().isEqualTo("@1500");
  }

  @Test
  void moreLoadThanCoresMakesTheQueueGrow() {
    Cpu cpu = new Cpu(kernel, 2);
    List<Cpu.Actor> actors = List.of(cpu.actor(), cpu.actor(), cpu.actor());
    for (int micros = 0; micros < 3_000; micros++) {
      kernel.runUntil(micros);
      actors.get(micros % 3).submit(4_000, () -> done.add("x"));
    }
    assertThat(done).hasSizeBetween(1_490, 1_500);
  }

  @Test
  void needsACore() {
    assertThatThrownBy(() -> new Cpu(kernel, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
