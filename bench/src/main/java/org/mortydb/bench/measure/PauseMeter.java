package org.mortydb.bench.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.ToLongFunction;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.mortydb.telemetry.pauses.CollectionPauses;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseRecorder;
import org.mortydb.telemetry.pauses.PausesMXBean;
import org.mortydb.telemetry.pauses.StallWatch;
import org.mortydb.workloads.load.Rounded;

/** The pauses within a window: of the servers, which measure them, and of this process. */
public final class PauseMeter implements AutoCloseable {
  private static final int MOST_LISTED = 500;
  private static final long LEAST_LISTED_MICROS = 5_000;
  private static final ObjectName SERVERS = servers();

  private final List<MBeanServerConnection> connections;
  private final PauseRecorder own = new PauseRecorder();
  private final CollectionPauses collections = new CollectionPauses(own);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("morty-bench-stalls").unstarted(task));
  private final StallWatch stalls = new StallWatch(timer, own);
  private long beginMicros;

  /**
   * @param others the processes of servers; servers in this process need none
   */
  public PauseMeter(List<MBeanServerConnection> others) {
    connections = new ArrayList<>(others);
    connections.add(ManagementFactory.getPlatformMBeanServer());
  }

  private static ObjectName servers() {
    try {
      return new ObjectName("org.mortydb:type=Pauses,*");
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long nowMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  /** Begins a window. */
  public void begin() {
    beginMicros = nowMicros();
  }

  /** Ends the window, and returns its pauses. */
  public Pauses end() {
    long endMicros = nowMicros();
    TreeMap<String, Pauses.OfProcess> found = new TreeMap<>();
    for (MBeanServerConnection connection : connections) {
      try {
        Set<ObjectName> names = connection.queryNames(SERVERS, null);
        for (ObjectName name : names) {
          List<Pause> latest = JMX.newMXBeanProxy(connection, name, PausesMXBean.class).getLatest();
          String server = ObjectName.unquote(name.getKeyProperty("server"));
          found.put(server, of(server, latest, endMicros));
        }
      } catch (IOException e) {
        // The server has ended; the run reports that.
      }
    }
    Pauses.OfProcess client = of(Pauses.CLIENT, own.getLatest(), endMicros);
    List<Pauses.OfProcess> all = new ArrayList<>(found.values());
    Long longest = longest(all, Pauses.OfProcess::longestMicros);
    Long collection = longest(all, Pauses.OfProcess::longestCollectionMicros);
    all.add(client);
    return new Pauses(longest, collection, client.longestMicros(), all);
  }

  private static @Nullable Long longest(
      List<Pauses.OfProcess> servers, ToLongFunction<Pauses.OfProcess> micros) {
    return servers.isEmpty() ? null : servers.stream().mapToLong(micros).max().orElse(0);
  }

  private Pauses.OfProcess of(String process, List<Pause> pauses, long endMicros) {
    List<Pause> within =
        pauses.stream()
            .filter(one -> one.endMicros() >= beginMicros && one.startMicros() <= endMicros)
            .toList();
    List<Pauses.Single> longest =
        within.stream()
            .filter(one -> one.micros() >= LEAST_LISTED_MICROS)
            .sorted(Comparator.comparingLong(Pause::micros).reversed())
            .limit(MOST_LISTED)
            .sorted(Comparator.comparingLong(Pause::endMicros))
            .map(
                one ->
                    new Pauses.Single(
                        one.kind().code(),
                        Rounded.to(3, (one.endMicros() - beginMicros) / 1e6),
                        one.micros()))
            .toList();
    return new Pauses.OfProcess(
        process,
        most(within, Pause.Kind.COLLECTION),
        sum(within, Pause.Kind.COLLECTION),
        most(within, Pause.Kind.STALL),
        sum(within, Pause.Kind.STALL),
        longest);
  }

  private static long most(List<Pause> pauses, Pause.Kind kind) {
    return pauses.stream()
        .filter(one -> one.kind() == kind)
        .mapToLong(Pause::micros)
        .max()
        .orElse(0);
  }

  private static long sum(List<Pause> pauses, Pause.Kind kind) {
    return pauses.stream().filter(one -> one.kind() == kind).mapToLong(Pause::micros).sum();
  }

  @Override
  public void close() {
    stalls.close();
    timer.shutdownNow();
    collections.close();
  }
}
