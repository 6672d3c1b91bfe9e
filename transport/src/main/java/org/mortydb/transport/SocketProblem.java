package org.mortydb.transport;

import java.util.regex.Pattern;

/** Says what is wrong with a socket, in the words of the operating system alone. */
final class SocketProblem {
  /** Netty's native transport puts the system call and its result before the reason. */
  private static final Pattern CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  /** And the address after it, which the caller has named. */
  private static final Pattern ADDRESS = Pattern.compile(": \\S*/\\S+:\\d+$");

  private SocketProblem() {}

  static String of(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return ADDRESS.matcher(CALL.matcher(message).replaceFirst("")).replaceFirst("");
  }
}
