package org.mortydb.cli.tls;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** What the product logs while this is open, with warnings that it has logged shortly before. */
final class Logged implements AutoCloseable {
  private final Logger logger = (Logger) LoggerFactory.getLogger("org.mortydb");
  private final Logger transport = (Logger) LoggerFactory.getLogger("org.mortydb.transport");
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          messages.add(event.getFormattedMessage());
        }
      };

  Logged() {
    transport.setLevel(Level.DEBUG);
    appender.start();
    logger.addAppender(appender);
  }

  /** Whether a message has all those parts. */
  boolean has(String... parts) {
    return messages.stream().anyMatch(m -> List.of(parts).stream().allMatch(m::contains));
  }

  /** Waits until a message has all those parts. */
  void await(String... parts) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!has(parts)) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new AssertionError("no message with " + List.of(parts) + " in " + messages);
      }
      Thread.sleep(5);
    }
  }

  @Override
  public void close() {
    transport.setLevel(null);
    logger.detachAppender(appender);
    appender.stop();
  }
}
