package org.mortydb.sim.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CoroutineTest {
  private final List<String> log = new ArrayList<>();

  /** Code that can suspend the coroutine that runs it. */
  private static Coroutine coroutine(Consumer<Coroutine> code) {
    Coroutine[] self = new Coroutine[1];
    self[0] = new Coroutine(() -> code.accept(self[0]));
    return self[0];
  }

  @Test
  void codeAndCallerTakeTurns() {
    Coroutine coroutine =
        coroutine(
            self -> {
              log.add("code 1");
              self.suspend();
              log.add("code 2");
            });
    log.add("caller 1");
    coroutine.resume();
    log.add("caller 2");
    coroutine.resume();
    log.add("caller 3");
    assertThat(log).containsExactly("caller 1", "code 1", "caller 2", "code 2", "caller 3");
    assertThatThrownBy(coroutine::resume).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatTheCodeThrowsReachesTheCaller() {
    IllegalArgumentException thrown = new IllegalArgumentException("mine");
    Coroutine coroutine =
        coroutine(
            self -> {
              self.suspend();
              throw thrown;
            });
    coroutine.resume();
    assertThatThrownBy(coroutine::resume).isSameAs(thrown);
  }

  @Test
  void cancelledCodeIsLeftAtItsWaitAndAtEachFurtherOne() {
    Coroutine coroutine =
        coroutine(
            self -> {
              try {
                self.suspend();
                log.add("not reached");
              } catch (Error swallowed) {
                log.add("left");
                self.suspend();
                log.add("not reached");
              } finally {
                log.add("ended");
              }
            });
    coroutine.resume();
    coroutine.cancel();
    assertThat(log).containsExactly("left", "ended");
    coroutine.cancel(); // nothing is left to end
    coroutine(self -> log.add("never begun")).cancel();
    assertThat(log).hasSize(2);
  }
}
