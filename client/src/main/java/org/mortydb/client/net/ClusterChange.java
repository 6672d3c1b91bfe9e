package org.mortydb.client.net;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.Codec;
import org.mortydb.client.MalformedValueException;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionRefusedException;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.change.ChangeRules;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.change.Server;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * Changes the map of a running cluster, or shows it (docs/protocol.md, section 15). All that lasts
 * is in the cluster: if this process dies in the middle, {@link #resume} in another one ends the
 * change. One change is under way at a time.
 *
 * <p>Safe for any thread. A client carries out one change at a time.
 */
public final class ClusterChange {
  /** How far a change has come. */
  public enum State {
    /** The change is complete: the new partitions hold their keys, and serve. */
    DONE,
    /** There was nothing to do. */
    NOTHING,
    /** The change was given up, and nothing of it remains. */
    GIVEN_UP,
    /** A change is proposed, which may still be given up. */
    PROPOSED,
    /** A change is decided, and its new partitions may not hold their keys yet. */
    DECIDED
  }

  /**
   * What has become of a change.
   *
   * @param maps all maps that are decided
   * @param open the map of the change that is under way; null if there is none
   * @param why what the change has waited for in vain, for the operator; empty if it has ended well
   */
  public record Outcome(State state, MapHistory maps, @Nullable ClusterMap open, String why) {
    /** An outcome that needs no explanation. */
    public Outcome(State state, MapHistory maps, @Nullable ClusterMap open) {
      this(state, maps, open, "");
    }
  }

  /** Learns how the change goes on. Called on the thread of the client: it must not block. */
  public interface Progress {
    /** Tells nobody. */
    Progress NONE = (state, map) -> {};

    /** A change is proposed, or decided. */
    void reached(State state, ClusterMap map);

    /** So much of what moves has arrived. Called now and then. */
    default void moved(MapChange.Bytes bytes) {}
  }

  /** A change cannot be carried out, and nothing of it remains; the message says why. */
  public static final class RefusedException extends RuntimeException {
    RefusedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  private enum Mode {
    CHANGE,
    RESUME,
    SHOW,
    /** Waits until no partition needs those that the last changes have left without buckets. */
    SETTLE,
    /** Asks how much each partition holds. */
    WEIGH
  }

  /**
   * Seals are asked for this many times the allowed skew before the cut. Servers whose clocks are
   * behind by one more accept them.
   */
  private static final int SEAL_SKEWS = 3;

  /** How long the founding of new partitions may take at first. Nobody waits for it. */
  private static final long FOUNDING_MICROS = 1_000_000;

  /** A change whose partitions are not founded in time is tried again, with four times as long. */
  private static final int MOST_FOUNDINGS = 2;

  private static final long RESEND_MICROS = 200_000;

  /** A server copies at least so fast. A copy that is faster makes the cut earlier. */
  private static final long COPIED_BYTES_PER_SECOND = 1 << 20;

  /** How long a change waits for the first answers of servers. */
  private static final long PREPARATION_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long LOOK_MICROS = 20_000;

  private static final Codec<MapRecord> RECORD =
      new Codec<>() {
        @Override
        public byte[] encode(MapRecord record) {
          return record.toValue().bytes();
        }

        @Override
        public MapRecord decode(byte[] bytes) {
          return MapRecord.of(Value.wrap(bytes));
        }
      };

  private ClusterChange() {}

  /**
   * Carries out a plan. Begins nothing if another change is under way, and tells it then.
   *
   * @param plan throws an {@link IllegalArgumentException} if it cannot be
   * @param timeout how long to wait for the end; a decided change is not undone after it
   * @throws RefusedException if the plan cannot be carried out, the client lacks the right 'admin',
   *     or the record of a map holds something else
   * @throws TimeoutException after the timeout: {@link #show} says how far the change is. The
   *     message says for what the change has waited; it is empty if nobody knows
   * @throws ClientClosedException when the client is closed meanwhile
   * @throws IllegalStateException after an error of this process; {@link #resume} in another one
   *     ends the change
   */
  public static Outcome carryOut(
      MortyClient client, MapChange.Plan plan, Duration timeout, Progress progress)
      throws InterruptedException, TimeoutException {
    return run(client, Mode.CHANGE, plan, timeout, progress);
  }

  /**
   * Ends the change that is under way: completes it if that is possible, or else gives it up.
   *
   * @throws RefusedException if the client lacks the right 'admin'
   * @throws TimeoutException after the timeout: {@link #show} says how far the change is
   */
  public static Outcome resume(MortyClient client, Duration timeout, Progress progress)
      throws InterruptedException, TimeoutException {
    return run(client, Mode.RESUME, MapChange.Plan.NOTHING, timeout, progress);
  }

  /**
   * Reads the maps, and which change is under way. Changes nothing.
   *
   * @throws TimeoutException if the records of the maps cannot be read in time
   */
  public static Outcome show(MortyClient client, Duration timeout)
      throws InterruptedException, TimeoutException {
    return run(client, Mode.SHOW, MapChange.Plan.NOTHING, timeout, Progress.NONE);
  }

  /**
   * Waits until the partitions that have lost all their buckets are needed no more: f+1 replicas of
   * each partition have decided everything up to the cut of the last map. Then the servers of the
   * others may stop. That takes about as long as the watermark stays behind the clock.
   *
   * @throws TimeoutException if it takes longer
   */
  public static Outcome settle(MortyClient client, Duration timeout)
      throws InterruptedException, TimeoutException {
    return run(client, Mode.SETTLE, MapChange.Plan.NOTHING, timeout, Progress.NONE);
  }

  /**
   * How many bytes each partition of the last map holds, about: its keys and their newest values.
   *
   * @throws TimeoutException if a partition does not say in time
   */
  public static Map<Integer, Long> weigh(MortyClient client, Duration timeout)
      throws InterruptedException, TimeoutException {
    Run run = new Run(client.firstLoop(), Mode.WEIGH, MapChange.Plan.NOTHING, Progress.NONE);
    await(run, timeout);
    return Map.copyOf(run.bytes);
  }

  /** What to throw if a plan cannot be. */
  public static RefusedException refused(String why) {
    return new RefusedException(why, null);
  }

  /** The servers of a cluster under a map, for a plan. */
  public static Plans.Members members(ClusterConfig config) {
    return map ->
        config.servers(map).stream()
            .map(server -> new Server(server.name(), server.region()))
            .toList();
  }

  private static Outcome run(
      MortyClient client, Mode mode, MapChange.Plan plan, Duration timeout, Progress progress)
      throws InterruptedException, TimeoutException {
    return await(new Run(client.firstLoop(), mode, plan, progress), timeout);
  }

  private static Outcome await(Run run, Duration timeout)
      throws InterruptedException, TimeoutException {
    run.loop.failWithClient(run.outcome);
    run.begin();
    try {
      return run.outcome.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RefusedException refused) {
        throw refused;
      }
      if (e.getCause() instanceof ClientClosedException closed) {
        throw closed;
      }
      throw new IllegalStateException(
          "a change of the map has stopped because of an error: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new TimeoutException(run.waitsFor); // its own message is null
    } finally {
      run.outcome.cancel(false);
    }
  }

  /** What a transaction has read and written in its last execution. */
  private record Edited(@Nullable MapRecord stored, boolean wrote) {}

  /** One change on the event loop of a client. */
  private static final class Run implements MapChange.Host {
    final EngineLoop loop;
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final Mode mode;
    private final MapChange.Plan plan;
    private final Progress progress;
    private final long sinceNanos = System.nanoTime();

    /** Replaced once, before it begins. */
    private MapChange change;

    private final Set<ReplicaId> settled = new HashSet<>();

    /** By partition. */
    final Map<Integer, Long> bytes = new ConcurrentHashMap<>();

    private boolean decided;
    private @Nullable ClusterMap resumed;

    /** The number of the last map that {@link #progress} has heard of; 0 if it has of none. */
    private int reported;

    /** How often new partitions were not founded in time. */
    private int foundings;

    /** Why the last transaction on a record has not run; null if it has. */
    private @Nullable Throwable failure;

    /** For what this run waits, in words; empty if nobody knows. Written on the event loop. */
    volatile String waitsFor = "";

    Run(EngineLoop loop, Mode mode, MapChange.Plan plan, Progress progress) {
      this.loop = loop;
      this.mode = mode;
      this.plan = plan;
      this.progress = progress;
      this.change = change(new MapHistory(loop.cluster().firstMap()));
    }

    private MapChange.Times times(long skewMicros) {
      long seal = SEAL_SKEWS * skewMicros;
      return new MapChange.Times(
          seal + (FOUNDING_MICROS << (2 * foundings)),
          seal,
          skewMicros + 2 * RESEND_MICROS,
          RESEND_MICROS,
          COPIED_BYTES_PER_SECOND);
    }

    /** Begins; for any thread. */
    void begin() {
      try {
        loop.gate().execute(() -> guarded(this::prepare));
      } catch (RejectedExecutionException e) {
        outcome.completeExceptionally(new ClientClosedException("the client is closed"));
      }
    }

    /** Runs a task on the event loop. If it fails, so does the run: nobody would notice else. */
    void soon(Runnable task) {
      loop.loop().execute(() -> guarded(task));
    }

    private void later(Runnable task, long delayMicros) {
      var _ = loop.loop().schedule(() -> guarded(task), delayMicros, TimeUnit.MICROSECONDS);
    }

    private void guarded(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        outcome.completeExceptionally(e);
      }
    }

    private MapChange change(MapHistory known) {
      return new MapChange(
          new TxnId(loop.nowMicros(), loop.id().id(), 0),
          known,
          times(loop.cluster().replicaOptions().allowedSkewMicros()),
          this::next,
          ChangeRules.SOUND,
          this);
    }

    /**
     * Waits for what servers tell when they are connected. The records of the first maps may lie on
     * servers that have left, so the change begins with the last map that is known.
     */
    void prepare() {
      if (!loop.cluster().changes()) {
        refuse(
            "the map of this cluster cannot change: its file does not have cluster.changes = true",
            null);
      } else if (loop.knowsMaps() || System.nanoTime() - sinceNanos > PREPARATION_NANOS) {
        change = change(new MapHistory(loop.engine().maps(), 0));
        loop.listenForChange((from, message) -> guarded(() -> onMessage(from, message)));
        tick();
      } else if (!outcome.isDone()) {
        later(this::prepare, LOOK_MICROS);
      }
    }

    private void onMessage(Endpoint from, Message message) {
      if (mode == Mode.SETTLE
          && from instanceof ReplicaId replica
          && message instanceof Message.PartitionReply reply
          && reply.watermarkMicros() >= loop.engine().map().cutMicros()) {
        settled.add(replica);
      }
      if (mode == Mode.WEIGH
          && from instanceof ReplicaId replica
          && message instanceof Message.PartitionReply reply) {
        bytes.merge(replica.partition(), reply.bytes(), Math::max);
      }
      change.onMessage(loop.nowMicros(), from, message);
    }

    private void tick() {
      if (mode == Mode.SETTLE) {
        settle();
      } else if (mode == Mode.WEIGH) {
        weigh();
      } else if (!outcome.isDone() && !change.isEnded()) {
        change.onTick(loop.nowMicros());
        progress.moved(change.bytes());
        waitsFor = waitsFor();
        later(this::tick, RESEND_MICROS / 2);
      }
    }

    private void weigh() {
      ClusterMap last = loop.engine().map();
      if (bytes.keySet().containsAll(last.servers().keySet())) {
        end(State.DONE, null);
      } else if (!outcome.isDone()) {
        TxnId asks = new TxnId(loop.nowMicros(), loop.id().id(), 0);
        for (int partition : last.servers().keySet()) {
          for (int i = 0; i <= 2 * last.f(); i++) {
            loop.send(new ReplicaId(partition, i), new Message.CheckPartition(asks, last));
          }
        }
        Set<Integer> silent = new TreeSet<>(last.servers().keySet());
        silent.removeAll(bytes.keySet());
        waitsFor = "no replica says how much the partitions " + silent + " hold" + unreachable();
        later(this::weigh, RESEND_MICROS);
      }
    }

    private void settle() {
      ClusterMap last = loop.engine().map();
      TxnId asks = new TxnId(loop.nowMicros(), loop.id().id(), 0);
      Set<Integer> behind = new TreeSet<>();
      for (int partition : last.servers().keySet()) {
        int done = 0;
        for (int i = 0; i <= 2 * last.f(); i++) {
          ReplicaId replica = new ReplicaId(partition, i);
          if (settled.contains(replica)) {
            done++;
          } else if (!outcome.isDone()) {
            loop.send(replica, new Message.CheckPartition(asks, last));
          }
        }
        if (done <= last.f()) {
          behind.add(partition);
        }
      }
      if (behind.isEmpty()) {
        end(State.DONE, null);
      } else if (!outcome.isDone()) {
        waitsFor =
            "too few replicas of the partitions "
                + behind
                + " have decided all transactions below the last change"
                + unreachable();
        later(this::settle, RESEND_MICROS);
      }
    }

    private void refuse(String why, @Nullable Throwable cause) {
      outcome.completeExceptionally(new RefusedException(why, cause));
    }

    private void end(State state, @Nullable ClusterMap open) {
      String why = state == State.GIVEN_UP ? waitsFor() : "";
      outcome.complete(new Outcome(state, change.history(), open, why));
    }

    // ---- for what it waits ----------------------------------------------------------------------

    private String waitsFor() {
      Map<String, Set<String>> reasons = new TreeMap<>();
      change
          .awaited()
          .forEach(
              (replica, what) ->
                  reasons
                      .computeIfAbsent(reason(replica, what), _ -> new TreeSet<>())
                      .add(serverOf(replica)));
      StringBuilder text = new StringBuilder();
      reasons.forEach(
          (reason, servers) ->
              text.append(text.isEmpty() ? "" : "; ")
                  .append(reason)
                  .append(": ")
                  .append(String.join(", ", servers)));
      Throwable last = failure;
      if (last != null && text.isEmpty()) {
        text.append("transactions on the record of the map fail: ").append(last.getMessage());
      }
      String down = unreachable();
      return text.isEmpty() ? down.replaceFirst("^; ", "") : text + down;
    }

    private static String reason(ReplicaId replica, MapChange.Awaited what) {
      String partition = " partition " + replica.partition();
      return switch (what) {
        case SEAL -> "no answer from servers that hold" + partition;
        case SEAL_REFUSED ->
            "transactions were ahead of the change at servers that hold" + partition;
        case FOUNDING -> "no answer from servers that get the new" + partition;
        case KEYS -> "not all keys are stored at servers that get the new" + partition;
      };
    }

    private String serverOf(ReplicaId replica) {
      ClusterMap proposed = change.proposed();
      ClusterMap map = change.history().firstWith(replica.partition());
      map = map == null ? proposed : map;
      List<String> servers = map == null ? null : map.servers().get(replica.partition());
      return servers == null || replica.index() >= servers.size()
          ? replica.toString()
          : servers.get(replica.index());
    }

    private String unreachable() {
      String down =
          loop.cluster().servers(loop.engine().map()).stream()
              .map(ServerSpec::name)
              .filter(name -> !loop.isUp(name))
              .collect(Collectors.joining(", "));
      return down.isEmpty() ? "" : "; these servers cannot be reached: " + down;
    }

    private @Nullable ClusterMap next(ClusterMap last, int number, int partition, long cutMicros) {
      if (mode != Mode.CHANGE || decided) {
        return null;
      }
      try {
        ClusterMap next = plan.next(last, number, partition, cutMicros);
        if (next != null) {
          requireServers(last, next);
          String full = change.whyNoMore(next);
          if (full != null) {
            throw new IllegalArgumentException(full + ": restore a backup into a new cluster");
          }
        }
        return next;
      } catch (IllegalArgumentException e) {
        refuse(String.valueOf(e.getMessage()), e);
        return null;
      }
    }

    /** All servers of a new partition have to found it. */
    private void requireServers(ClusterMap last, ClusterMap next) {
      next.destinations(last).stream()
          .forEach(
              partition -> {
                for (String server : next.servers().getOrDefault(partition, List.of())) {
                  if (loop.cluster().servers(next).stream()
                      .noneMatch(member -> member.name().equals(server))) {
                    throw new IllegalArgumentException(
                        "cluster '"
                            + loop.cluster().name()
                            + "' has no server '"
                            + server
                            + "': its servers are "
                            + loop.cluster().servers(next).stream()
                                .map(ServerSpec::name)
                                .collect(Collectors.joining(", "))
                            + "; let others join with 'morty servers add'");
                  }
                  if (!loop.isUp(server)) {
                    throw new IllegalArgumentException(
                        "server '"
                            + server
                            + "' cannot be reached: all servers that get a replica must be up;"
                            + " start it, or choose others (morty partitions move)");
                  }
                }
              });
    }

    // ---- MapChange.Host -----------------------------------------------------------------------

    @Override
    public void send(ReplicaId to, Message message) {
      if (!outcome.isDone()) {
        loop.send(to, message);
      }
    }

    @Override
    public void edit(ClusterMap map, MapChange.Edit edit) {
      soon(() -> execute(map, edit));
    }

    private void execute(ClusterMap map, MapChange.Edit edit) {
      if (outcome.isDone()) {
        return;
      }
      TypedKey<MapRecord> key = TypedKey.of(MapRecord.key(map.number()), RECORD);
      loop.engine()
          .executeUnder(
              map.number(),
              new Edited(null, false),
              (txn, ctx) ->
                  txn.get(
                      ctx,
                      key,
                      (c, stored) -> {
                        MapRecord next = mode == Mode.SHOW ? null : edit.of(stored);
                        if (next != null) {
                          txn.put(c, key, next);
                        }
                        txn.commit(c.with(new Edited(next == null ? stored : next, next != null)));
                      }),
              new ResultHandler<Edited>() {
                @Override
                public void completed(Result<Edited> result) {
                  soon(() -> onResult(result));
                }

                @Override
                public void failed(Throwable cause) {
                  soon(() -> onFailed(map, cause));
                }
              });
    }

    private void onFailed(ClusterMap map, Throwable cause) {
      switch (cause) {
        case NotAuthorizedException _ -> refuse(String.valueOf(cause.getMessage()), cause);
        case MalformedValueException _ ->
            refuse(
                "the record of map "
                    + map.number()
                    + " was overwritten by somebody with the right 'admin', so the map cannot change"
                    + " any more; restore a backup into a new cluster ("
                    + cause.getMessage()
                    + ")",
                cause);
        case TransactionRefusedException _, OverloadedException _ -> {
          failure = cause;
          change.onEditFailed(loop.nowMicros());
        }
        default -> outcome.completeExceptionally(cause);
      }
    }

    private void onResult(Result<Edited> result) {
      if (outcome.isDone()) {
        return;
      }
      failure = null;
      if (result instanceof Result.Committed<Edited>(Edited edited, var _)) {
        change.onEdited(loop.nowMicros(), edited.stored, edited.wrote);
      } else {
        change.onEditFailed(loop.nowMicros());
      }
    }

    @Override
    public void starts(ClusterMap map) {
      State state = map.equals(change.history().last()) ? State.DECIDED : State.PROPOSED;
      if (mode == Mode.SHOW || (mode == Mode.CHANGE && !change.isOwn(map))) {
        end(state, map);
        return;
      }
      if (mode == Mode.RESUME) {
        resumed = map;
      }
      if (!loop.reach(map)) {
        refuse(map + " has servers of which nobody says where they are", null);
        return;
      }
      if (state == State.PROPOSED && map.number() != reported) {
        reported = map.number(); // not once more if its cut becomes earlier
        progress.reached(state, map);
      }
    }

    private boolean isResumed(ClusterMap map) {
      ClusterMap other = resumed;
      return other != null && other.isButForItsCut(map);
    }

    @Override
    public void decided(ClusterMap map) {
      Topology topology = loop.topology(map);
      if (topology == null) {
        refuse(map + " has servers of which nobody says where they are", null);
        return;
      }
      loop.engine().learn(topology);
      boolean own = change.isOwn(map) || isResumed(map);
      decided |= own;
      if (own) {
        progress.reached(State.DECIDED, map);
      }
    }

    @Override
    public void ended(MapChange.Result result) {
      if (result == MapChange.Result.GIVEN_UP
          && mode == Mode.CHANGE
          && foundings + 1 < MOST_FOUNDINGS
          && change.awaited().containsValue(MapChange.Awaited.FOUNDING)) {
        foundings++;
        change = change(new MapHistory(loop.engine().maps(), 0)); // the next tick begins it
        return;
      }
      ClusterMap other = resumed;
      ClusterMap found = other == null ? null : change.history().numbered(other.number());
      boolean complete = decided || (found != null && isResumed(found));
      if (complete) {
        end(State.DONE, null);
      } else if (result == MapChange.Result.GIVEN_UP || other != null) {
        end(State.GIVEN_UP, null);
      } else {
        end(State.NOTHING, null);
      }
    }
  }
}
