package org.mortydb.workloads.retwis;

import java.util.Arrays;
import java.util.List;
import org.mortydb.workloads.sampling.Shares;

/** The four transactions of Retwis and their shares, as in the TAPIR and Morty papers. */
public enum RetwisTransactionType {
  /** One read, three writes. */
  ADD_USER("add user", 5),
  /** Two reads, two writes. */
  FOLLOW("follow", 15),
  /** Three reads, five writes. */
  POST_TWEET("post tweet", 30),
  /** One to ten reads, no write. */
  GET_TIMELINE("get timeline", 50);

  private static final RetwisTransactionType[] TYPES = values();

  private final String label;
  private final int percent;

  RetwisTransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  /** The name for people. */
  public String label() {
    return label;
  }

  /** The names for people, in the order of the types. */
  static List<String> labels() {
    return Arrays.stream(TYPES).map(RetwisTransactionType::label).toList();
  }

  /** The share of all transactions, in percent. */
  public int percent() {
    return percent;
  }

  /** The type that a uniform draw from 0 to 99 stands for. */
  static RetwisTransactionType of(int draw) {
    return Shares.pick(TYPES, RetwisTransactionType::percent, draw);
  }
}
