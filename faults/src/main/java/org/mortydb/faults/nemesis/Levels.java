package org.mortydb.faults.nemesis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientSession;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.client.TransactionOptions;

/**
 * The counters of {@link Counters}, read at all levels and within sessions. The sessions of a
 * client process end with it. Requests of one session run at the same time, too: each one relies on
 * those that have ended before it began.
 */
final class Levels extends Counters {
  private static final int RAISE_ONE_OF = 3;
  private static final int SESSIONS = 7;
  private static final List<String> LEVELS =
      List.of("serializable", "snapshot", "snapshot", "bounded:2s", "local", "local");

  /** Distinguishes the sessions of this client process. */
  private final String process = UUID.randomUUID().toString().substring(0, 8);

  private final Map<Long, ClientSession> sessions = new ConcurrentHashMap<>();

  @Override
  public Request next(RandomGenerator random) {
    long session = random.nextInt(SESSIONS + 1); // 0 is none
    if (random.nextInt(RAISE_ONE_OF) == 0) {
      return new Request(
          "raise", Values.map("counter", (long) random.nextInt(COUNT), "session", session));
    }
    return new Request(
        "look", Values.map("level", LEVELS.get(random.nextInt(LEVELS.size())), "session", session));
  }

  @Override
  public List<Request> closing() {
    return List.of(
        new Request("look", Values.map("level", "serializable", "session", 0L)),
        new Request("look", Values.map("level", "local", "session", 0L)));
  }

  private static ReadLevel level(Request request) {
    return ReadLevel.parse((String) Values.get(request.value(), "level"));
  }

  private @Nullable ClientSession session(Request request) {
    long number = Values.number(request.value(), "session");
    return number == 0
        ? null
        : sessions.computeIfAbsent(number, one -> new ClientSession(guarantees(one)));
  }

  private static SessionGuarantee[] guarantees(long session) {
    return switch ((int) (session % 3)) {
      case 0 -> new SessionGuarantee[] {SessionGuarantee.READ_YOUR_WRITES};
      case 1 -> new SessionGuarantee[] {SessionGuarantee.MONOTONIC_READS};
      default -> SessionGuarantee.values();
    };
  }

  @Override
  public TransactionOptions options(TransactionOptions given, Request request) {
    ClientSession session = session(request);
    TransactionOptions within = session == null ? given : given.inSession(session);
    return writes(request) ? within : within.forReading(level(request));
  }

  @Override
  public @Nullable Object completed(Request request, @Nullable Object value, long beganMicros) {
    Map<Object, @Nullable Object> result =
        new LinkedHashMap<>((Map<?, ?>) Objects.requireNonNull(value));
    ClientSession session = session(request);
    result.put(Values.keyword("level"), writes(request) ? "serializable" : level(request).words());
    result.put(Values.keyword("began"), beganMicros);
    if (session != null) {
      result.put(
          Values.keyword("session"), process + "-" + Values.number(request.value(), "session"));
      result.put(
          Values.keyword("guarantees"),
          session.guarantees().stream()
              .map(one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-'))
              .toList());
    }
    return result;
  }
}
