package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.faults.kit.ServerFaults;
import org.mortydb.faults.nemesis.Relays.Direction;

/**
 * Causes faults, in rounds in which each fault comes once, and two at a time every second time.
 * Counts the faults that it has seen to happen. Used by one thread.
 */
final class Nemesis {
  private static final List<String> PARTITIONS =
      List.of("alone", "deaf", "mute", "without-clients", "alone-with-clients", "bridge");

  private static final int ALL_ONE_IN = 5;
  private static final long IN_FLIGHT_NANOS = 2_000_000_000L;
  private static final long POLL_MILLIS = 2;

  /** A fault that has begun. */
  private record Active(Fault fault, List<Integer> victims) {}

  private final ProcessCluster servers;
  private final Relays relays;
  private final ClientProcesses clients;
  private final ServerFaults killer;
  private final Changes changes;
  private final int allKilledOneIn;
  private final List<Fault> faults;
  private final RandomGenerator random;
  private final BiConsumer<String, @Nullable Object> told;
  private final Map<Fault, Long> seen = new EnumMap<>(Fault.class);
  private final Deque<Active> active = new ArrayDeque<>();
  private final Deque<Fault> round = new ArrayDeque<>();

  /**
   * @param settings of the servers; those that store nothing never die all at once
   * @param told receives every beginning and end, as {@code :f} and {@code :value}
   */
  Nemesis(
      ProcessCluster servers,
      ClusterSettings settings,
      Relays relays,
      ClientProcesses clients,
      Set<Fault> faults,
      RandomGenerator random,
      BiConsumer<String, @Nullable Object> told) {
    this.servers = servers;
    this.relays = relays;
    this.clients = clients;
    this.killer = new ServerFaults(servers, settings, random);
    this.allKilledOneIn = settings.durability().equals("memory") ? 0 : ALL_ONE_IN;
    this.faults = List.copyOf(new TreeSet<>(faults));
    this.random = random;
    this.changes = new Changes(servers.config(), random);
    this.told = told;
    this.faults.forEach(fault -> seen.put(fault, 0L));
  }

  /**
   * Begins the next fault, and ends those that have lasted long enough.
   *
   * @throws ClusterFailedException when a server has ended that was not killed
   */
  void step() throws IOException, InterruptedException {
    servers.check();
    List<Integer> killed =
        active.stream()
            .filter(a -> a.fault == Fault.CLIENT)
            .flatMap(a -> a.victims.stream())
            .toList();
    clients.startMissing(killed);
    if (faults.isEmpty()) {
      return;
    }
    int most = random.nextInt(2);
    while (active.size() > most) {
      end(active.removeFirst());
    }
    if (round.isEmpty()) {
      List<Fault> next = new ArrayList<>(faults);
      Collections.shuffle(next, Random.from(random));
      round.addAll(next);
    }
    // A fault without a victim now comes first the next time.
    for (Fault fault : List.copyOf(round)) {
      endEarlier(fault);
      List<Integer> victims = begin(fault);
      if (!victims.isEmpty()) {
        boolean _ = round.remove(fault);
        active.addLast(new Active(fault, victims));
        return;
      }
    }
  }

  private void endEarlier(Fault fault) throws IOException, InterruptedException {
    for (Active earlier : active.stream().filter(a -> a.fault == fault).toList()) {
      active.remove(earlier);
      end(earlier);
    }
  }

  /** Ends all faults. Servers that were killed are started, and may take a while to serve. */
  void heal() throws IOException, InterruptedException {
    while (!active.isEmpty()) {
      end(active.removeFirst());
    }
    relays.heal();
  }

  /**
   * Ends the change of the map that is under way, once all servers serve.
   *
   * @return why it does not end; null if it has, or none was planned
   */
  @Nullable String endChange() throws InterruptedException {
    return faults.contains(Fault.CHANGE) ? changes.end() : null;
  }

  /** How often each fault that was planned was seen; of partitions, how many bytes were lost. */
  Map<Fault, Long> seen() {
    seen.computeIfPresent(Fault.PARTITION, (_, _) -> relays.droppedBytes());
    seen.computeIfPresent(Fault.CHANGE, (_, _) -> changes.completed());
    return seen;
  }

  /** Whether every fault that was planned was seen. */
  boolean allSeen() {
    return !seen().containsValue(0L);
  }

  private void count(Fault fault, boolean happened) {
    seen.merge(fault, happened ? 1L : 0L, Long::sum);
  }

  private List<Integer> begin(Fault fault) throws IOException, InterruptedException {
    return switch (fault) {
      case KILL -> kill();
      case PAUSE -> pause();
      case PARTITION -> partition();
      case DISK -> loseDisk();
      case CLIENT -> killClient();
      case CHANGE -> change();
    };
  }

  private List<Integer> change() {
    boolean begun = changes.begin();
    if (begun) {
      tell("change", changes.completed());
    }
    return begun ? List.of(0) : List.of();
  }

  private void end(Active fault) throws IOException, InterruptedException {
    switch (fault.fault) {
      case KILL, DISK -> {
        for (int server : fault.victims) {
          servers.restart(server);
        }
        tell("start", names(fault.victims));
      }
      case PAUSE -> {
        for (int server : fault.victims) {
          servers.resume(server);
        }
        tell("resume", names(fault.victims));
      }
      case PARTITION -> {
        relays.heal();
        tell("stop-partition", Values.map("dropped-bytes-in-all", relays.droppedBytes()));
      }
      case CLIENT -> {
        clients.start(fault.victims.getFirst());
        tell("start-client", fault.victims);
      }
      case CHANGE -> tell("changed", changes.completed());
    }
  }

  private void tell(String f, @Nullable Object value) {
    told.accept(f, value);
  }

  private static List<String> names(List<Integer> victims) {
    return victims.stream().map(server -> "server-" + (server + 1)).toList();
  }

  private List<Integer> kill() throws InterruptedException {
    List<Integer> victims = killer.victims(allKilledOneIn);
    for (int server : victims) {
      count(Fault.KILL, killer.kill(server));
    }
    return told("kill", victims);
  }

  private List<Integer> loseDisk() throws IOException, InterruptedException {
    List<Integer> victims = killer.victims(0);
    for (int server : victims) {
      count(Fault.DISK, killer.killAndWipe(server));
    }
    return told("lose-disk", victims);
  }

  private List<Integer> pause() throws IOException, InterruptedException {
    List<Integer> victims = killer.victims(ALL_ONE_IN);
    for (int server : victims) {
      count(Fault.PAUSE, servers.pause(server));
    }
    return told("pause", victims);
  }

  private List<Integer> told(String f, List<Integer> victims) {
    if (!victims.isEmpty()) {
      tell(f, names(victims));
    }
    return victims;
  }

  /**
   * Makes one server alone, deaf, mute, without clients, alone with them, or the bridge between two
   * majorities.
   */
  private List<Integer> partition() {
    int n = servers.size();
    int one = random.nextInt(n);
    List<Integer> alone = List.of(one);
    List<Integer> rest = IntStream.range(0, n).filter(i -> i != one).boxed().toList();
    List<Integer> ofClients = IntStream.range(n, n + clients.size()).boxed().toList();
    String kind = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
    relays.cut(
        switch (kind) {
          case "alone" -> Relays.between(alone, both(rest, ofClients));
          case "deaf" -> rest.stream().map(other -> new Direction(other, one)).toList();
          case "mute" -> rest.stream().map(other -> new Direction(one, other)).toList();
          case "without-clients" -> Relays.between(alone, ofClients);
          case "alone-with-clients" -> Relays.between(rest, both(alone, ofClients));
          default -> Relays.between(List.of(rest.getFirst()), List.of(rest.getLast()));
        });
    tell("start-partition", Values.map("kind", kind, "server", "server-" + (one + 1)));
    return alone;
  }

  private static List<Integer> both(List<Integer> some, List<Integer> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }

  private List<Integer> killClient() throws InterruptedException {
    int victim = random.nextInt(clients.size());
    ClientProcess client = clients.get(victim);
    if (!client.isReady()) {
      return List.of();
    }
    long deadline = System.nanoTime() + IN_FLIGHT_NANOS;
    while (client.inFlight() == 0 && System.nanoTime() - deadline < 0) {
      Thread.sleep(POLL_MILLIS);
    }
    int inFlight = client.inFlight();
    client.kill();
    count(Fault.CLIENT, inFlight > 0);
    tell("kill-client", Values.map("client", victim, "in-flight", inFlight));
    return List.of(victim);
  }
}
