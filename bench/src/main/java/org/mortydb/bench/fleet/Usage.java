package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.ServerUse;
import org.mortydb.bench.agent.LoadAnswers.Ran;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.measure.Pauses;

/**
 * What the processes of a load used, on all hosts together.
 *
 * @param clients the answers of the processes with clients
 * @param servers the use of each server
 * @param clientNames the names of the processes with clients
 */
record Usage(List<Ran> clients, List<ServerUse> servers, List<String> clientNames) {

  /**
   * The processor time within the window: that of the clients as the own one, that of the servers
   * as that of the children. Empty if one of them is unknown.
   */
  Optional<CpuTime> cpu() {
    OptionalLong ofClients = sum(clients, Ran::cpuNanos);
    OptionalLong ofServers = sum(servers, ServerUse::cpuNanos);
    return ofClients.isEmpty() || ofServers.isEmpty()
        ? Optional.empty()
        : Optional.of(new CpuTime(ofClients.getAsLong(), ofServers.getAsLong()));
  }

  /** The heaps of all clients before the window, in bytes. */
  long clientHeaps() {
    return clients.stream().mapToLong(Ran::heapBytes).sum();
  }

  /** The heaps of all servers before the window, in bytes; null if one is unknown. */
  @Nullable Long serverHeaps() {
    OptionalLong sum = sum(servers, ServerUse::heapBytes);
    return sum.isPresent() ? (Long) sum.getAsLong() : null;
  }

  private static <T> OptionalLong sum(List<T> of, Function<T, @Nullable Long> part) {
    long sum = 0;
    for (T one : of) {
      Long value = part.apply(one);
      if (value == null) {
        return OptionalLong.empty();
      }
      sum += value;
    }
    return OptionalLong.of(sum);
  }

  /** The pauses within the window; null if those of one process are unknown. */
  @Nullable Pauses pauses() {
    List<Pauses.OfProcess> ofServers =
        servers.stream().map(ServerUse::pauses).filter(Objects::nonNull).toList();
    List<Pauses.OfProcess> all = new ArrayList<>(ofServers);
    List<Pauses.OfProcess> ofClients = new ArrayList<>();
    for (int i = 0; i < clients.size(); i++) {
      Pauses.OfProcess one = clients.get(i).pauses();
      if (one != null) {
        ofClients.add(one.named(Pauses.CLIENT + " " + clientNames.get(i)));
      }
    }
    all.addAll(ofClients);
    return ofServers.size() < servers.size() || ofClients.size() < clients.size()
        ? null
        : new Pauses(
            longest(ofServers, Pauses.OfProcess::longestMicros),
            longest(ofServers, Pauses.OfProcess::longestCollectionMicros),
            longest(ofClients, Pauses.OfProcess::longestMicros),
            all);
  }

  private static long longest(List<Pauses.OfProcess> of, ToLongFunction<Pauses.OfProcess> micros) {
    return of.stream().mapToLong(micros).max().orElse(0);
  }
}
