package org.mortydb.transport;

import java.io.IOException;
import java.io.Serial;

/** None of the servers that a file names told the layout of the cluster. The file may be right. */
public final class SeedsUnreachableException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  SeedsUnreachableException(String message) {
    super(message);
  }
}
