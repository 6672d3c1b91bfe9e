package org.mortydb.bench.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A stream that ends with an error when its source sends nothing for too long. A host that vanishes
 * does not close its connections, so that a reader would wait for ever. Time that the reader spends
 * elsewhere is no silence. For one reader.
 */
final class SilenceBound extends InputStream {
  /** The watch looks so often within the longest silence. */
  private static final int LOOKS = 20;

  private final InputStream in;
  private final Duration most;
  private long sinceNanos;
  private boolean waiting;
  private boolean silent;
  private boolean closed;

  /**
   * @param in what is read; another thread must be able to close it during a read, which must end
   *     the read
   * @param most the longest time without a byte
   * @param threads runs the watch until the stream is closed or silent
   */
  SilenceBound(InputStream in, Duration most, Executor threads) {
    this.in = in;
    this.most = most;
    threads.execute(this::watch);
  }

  private void watch() {
    try {
      while (!isClosed()) {
        if (isSilent()) {
          in.close();
          return;
        }
        Thread.sleep(most.dividedBy(LOOKS));
      }
    } catch (InterruptedException e) {
      // The connection is closed, and the stream with it.
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean isSilent() {
    silent |= waiting && System.nanoTime() - sinceNanos > most.toNanos();
    return silent;
  }

  private synchronized void begin() {
    waiting = true;
    sinceNanos = System.nanoTime();
  }

  /** Ends a read. What a read returns after the silence is not what the source has sent. */
  private synchronized void end() throws IOException {
    waiting = false;
    if (silent) {
      throw new IOException("no byte came for %.1f s".formatted(most.toMillis() / 1e3));
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    begin();
    int count;
    try {
      count = in.read(buffer, offset, length);
    } catch (IOException e) {
      end();
      throw e;
    }
    end();
    return count;
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    in.close();
  }
}
