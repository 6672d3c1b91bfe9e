package org.mortydb.transport;

/** What a client, or a process that does not know the cluster yet, asks a server about itself. */
public sealed interface Question {

  /** The settings that all processes of the cluster share. Answered by {@link Reply.Shared}. */
  record AskLayout() implements Question {}

  /** The versions of the server's program and data. Answered by {@link Reply.Versions}. */
  record AskVersions() implements Question {}

  /**
   * The server shall use a version from now on. Answered by {@link Reply.Versions} once the server
   * has stored it. Requires the right {@code admin}.
   *
   * @param version at least 1
   */
  record UseVersion(int version) implements Question {}
}
