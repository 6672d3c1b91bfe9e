package org.mortydb.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.transport.RateLimitedLog.BURST;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Nobody fills the log by sending nonsense. */
class RateLimitedLogTest {
  private final Recording recording = new Recording();

  @Test
  void writesABurstAndCountsTheRest() throws InterruptedException {
    RateLimitedLog log = new RateLimitedLog(recording);
    for (int i = 0; i < 1_000; i++) {
      log.warn("bad frame {}", i);
    }
    assertThat(recording.lines)
        .hasSizeBetween(BURST, BURST + 2)
        .startsWith("bad frame 0", "bad frame 1");
    int written = recording.lines.size();
    assertThat(recording.atDebug).hasSize(1_000 - written);
    Thread.sleep(1_100);
    log.error(new IllegalStateException(), "bad frame {}", "at last");
    assertThat(recording.lines.subList(written, recording.lines.size()))
        .containsExactly(
            "bad frame at last [" + (1_000 - written) + " more of this kind were left out before]");
  }

  /** A server that is refused tries again for as long as it runs. */
  @Test
  void theSameLineIsWrittenOnceAMinute() {
    RateLimitedLog log = new RateLimitedLog(recording);
    for (int i = 0; i < 30; i++) {
      log.warn("refused by {}", "a");
      log.warn("refused by {}", "b");
    }
    log.warn("refused by {}", "c");
    assertThat(recording.lines)
        .containsExactly(
            "refused by a",
            "refused by b",
            "refused by c [58 more of this kind were left out before]");
    for (int i = 0; i < RateLimitedLog.REMEMBERED; i++) {
      log.warn("refused by {}", i);
    }
    log.warn("refused by {}", "a");
    assertThat(recording.lines).endsWith("refused by a");
  }

  private static final class Recording extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines = new ArrayList<>();
    private final transient List<String> atDebug = new ArrayList<>();

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String format,
        Object @Nullable [] arguments,
        @Nullable Throwable cause) {
      (level == Level.DEBUG ? atDebug : lines)
          .add(MessageFormatter.basicArrayFormat(format, arguments));
    }

    @Override
    public boolean isTraceEnabled() {
      return true;
    }

    @Override
    public boolean isDebugEnabled() {
      return true;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }
  }
}
