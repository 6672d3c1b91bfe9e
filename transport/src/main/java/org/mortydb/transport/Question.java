package org.mortydb.transport;

/** What a process asks a server about itself or its cluster. */
public sealed interface Question {

  /** The settings that all processes of the cluster share. Answered by {@link Reply.Shared}. */
  record AskLayout() implements Question {}

  /**
   * The maps of the cluster that the asker does not know. Servers ask each other, too. Answered by
   * {@link Reply.Maps}.
   *
   * @param last the number of the last map that is known
   */
  record AskMaps(int last) implements Question {}

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
