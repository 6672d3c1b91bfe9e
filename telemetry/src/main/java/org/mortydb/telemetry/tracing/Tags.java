package org.mortydb.telemetry.tracing;

/** The names of spans' tags; docs/reference/tracing.md lists them. */
final class Tags {
  static final String TXN = "morty.txn";
  static final String REPLICA = "morty.replica";
  static final String PARTITION = "morty.partition";
  static final String PARTICIPANTS = "morty.participants";
  static final String EXECUTION = "morty.execution";
  static final String EXECUTIONS = "morty.executions";
  static final String REEXECUTIONS = "morty.reexecutions";
  static final String ATTEMPT = "morty.attempt";
  static final String OUTCOME = "morty.outcome";
  static final String PATH = "morty.path";
  static final String ABORT_REASON = "morty.abort.reason";
  static final String KEY = "morty.key";
  static final String RANGE = "morty.range";
  static final String RANGES = "morty.ranges";
  static final String LIMIT = "morty.limit";
  static final String ROWS = "morty.rows";
  static final String NEXT = "morty.next";
  static final String READS = "morty.reads";
  static final String WRITES = "morty.writes";
  static final String VERSION = "morty.version";
  static final String SETTLED = "morty.settled";
  static final String VOTE = "morty.vote";
  static final String VOTE_REASON = "morty.vote.reason";
  static final String VOTE_FINAL = "morty.vote.final";
  static final String VOTE_FRESH = "morty.vote.fresh";
  static final String CONDITION = "morty.condition";
  static final String WITHHELD = "morty.withheld";
  static final String ANSWER = "morty.answer";
  static final String VALUE = "morty.value";
  static final String VIEW = "morty.view";
  static final String WATERMARK = "morty.watermark";
  static final String DEPENDENCY = "morty.dependency";
  static final String DEPENDENCY_TRACE = "morty.dependency.trace";
  static final String CAUSE = "morty.cause";
  static final String CAUSE_KEY = "morty.cause.key";
  static final String CAUSE_READ = "morty.cause.read";
  static final String CAUSE_VERSION = "morty.cause.version";
  static final String CAUSE_TRACE = "morty.cause.trace";
  static final String CAUSE_FROM = "morty.cause.from";
  static final String END = "morty.end";
  static final String WINDOW_MICROS = "morty.window.micros";

  private Tags() {}
}
