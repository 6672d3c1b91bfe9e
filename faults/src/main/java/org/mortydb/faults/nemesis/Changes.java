package org.mortydb.faults.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.Outcome;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.model.ClusterMap;

/**
 * Changes the map of a cluster, one change at a time, beside all other faults. A change that other
 * faults have stopped is ended by the next one. Used by one thread; the changes run on another.
 */
final class Changes {
  private static final int MOST_PARTITIONS = 6;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration CONNECTING = Duration.ofSeconds(20);

  private final ClusterConfig config;
  private final RandomGenerator random;
  private final AtomicLong completed = new AtomicLong();
  private @Nullable Thread running;

  Changes(ClusterConfig config, RandomGenerator random) {
    this.config = config;
    this.random = random;
  }

  /** How many changes are complete. */
  long completed() {
    return completed.get();
  }

  /**
   * Begins a change.
   *
   * @return false if the one before has not ended
   */
  boolean begin() {
    Thread before = running;
    if (before != null && before.isAlive()) {
      return false;
    }
    RandomGenerator own = new Random(random.nextLong());
    running = Thread.ofVirtual().start(() -> change(own));
    return true;
  }

  private void change(RandomGenerator own) {
    try (MortyClient client = connect()) {
      Outcome outcome =
          ClusterChange.carryOut(
              client,
              (last, number, partition, cut) -> plan(last, own).next(last, number, partition, cut),
              PATIENCE,
              ClusterChange.Progress.NONE);
      if (outcome.state() == State.PROPOSED || outcome.state() == State.DECIDED) {
        outcome = ClusterChange.resume(client, PATIENCE, ClusterChange.Progress.NONE);
      }
      if (outcome.state() == State.DONE) {
        completed.incrementAndGet();
      }
    } catch (ClusterChange.RefusedException | ClusterUnreachableException | TimeoutException e) {
      // Another fault is in the way. The next change goes on with what this one has left.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private MortyClient connect() {
    return MortyClient.connect(
        config, ClientOptions.inRegion(config.regions().getFirst()).withConnectTimeout(CONNECTING));
  }

  private static MapChange.Plan plan(ClusterMap map, RandomGenerator random) {
    List<Integer> partitions = new ArrayList<>(map.servers().keySet());
    Collections.shuffle(partitions, Random.from(random));
    int one = partitions.getFirst();
    List<String> servers = new ArrayList<>(map.servers().getOrDefault(one, List.of()));
    Collections.shuffle(servers, Random.from(random));
    if (partitions.size() > 1 && (partitions.size() >= MOST_PARTITIONS || random.nextBoolean())) {
      return Plans.merge(partitions.subList(0, 2), servers);
    }
    return random.nextBoolean() ? Plans.split(one, servers) : Plans.move(one, servers);
  }

  /**
   * Ends the change that is under way.
   *
   * @return why it does not end; null if it has
   */
  @Nullable String end() throws InterruptedException {
    Thread before = running;
    if (before != null) {
      before.join();
    }
    try (MortyClient client = connect()) {
      ClusterChange.resume(client, PATIENCE, ClusterChange.Progress.NONE);
      Outcome now = ClusterChange.show(client, PATIENCE);
      return now.open() == null ? null : "a change of the map does not end: " + now.open();
    } catch (ClusterChange.RefusedException | ClusterUnreachableException | TimeoutException e) {
      return "a change of the map does not end: " + e.getMessage();
    }
  }
}
