package org.mortydb.server.admin;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.server.status.PeerStatus;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageStatus;
import org.mortydb.server.status.Warning;
import org.mortydb.telemetry.metrics.Metric;
import org.mortydb.telemetry.metrics.WindowListener.KeyWindow;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseSummary;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The state of a server as JSON, for the live page and {@code morty status}. */
final class StateJson {
  static final JsonFactory FACTORY = new JsonFactory();

  /** The metrics of the page's charts. */
  private static final Set<String> CURVES =
      List.of(
              Metric.REPLICA_HOME_COMMITS,
              Metric.REPLICA_COMMIT_AGE_SECONDS,
              Metric.REPLICA_REEXECUTIONS,
              Metric.REPLICA_OUTCOMES,
              Metric.REPLICA_VOTES,
              Metric.REPLICA_PUSHES,
              Metric.REPLICA_WAITS,
              Metric.REPLICA_SLOW_PATHS,
              Metric.REPLICA_RECOVERIES_STARTED,
              Metric.REPLICA_SERIALIZATION_WINDOW_SECONDS,
              Metric.REPLICA_VALIDITY_WINDOW_SECONDS)
          .stream()
          .map(metric -> metric.exposedName().replaceAll("_total$", ""))
          .collect(Collectors.toUnmodifiableSet());

  private static final int HOT_KEYS = 6;
  private static final int LONGEST_KEY = 60;

  private StateJson() {}

  /** Returns the current state. */
  static String of(ServerStatus status, PrometheusRegistry registry, HotKeys hotKeys) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      Health health = Health.of(status);
      json.writeStartObject();
      json.writeStringProperty("server", status.server());
      json.writeStringProperty("region", status.region());
      json.writeStringProperty("cluster", status.cluster());
      json.writeStringProperty("system", status.system());
      json.writeNumberProperty("nowMicros", status.nowMicros());
      json.writeNumberProperty("upMicros", status.upMicros());
      json.writeBooleanProperty("live", health.live());
      json.writeBooleanProperty("ready", health.ready());
      json.writeArrayPropertyStart("problems");
      health.problems().forEach(json::writeString);
      json.writeEndArray();
      warnings(json, health.warnings());
      json.writeNumberProperty("clients", status.clients());
      replicas(json, status);
      peers(json, status);
      loops(json, status);
      json.writeObjectPropertyStart("pauses");
      json.writeNumberProperty("latestLongestMicros", status.pauses().latestLongestMicros());
      pauses(json, Pause.Kind.COLLECTION, status.pauses().collections());
      pauses(json, Pause.Kind.STALL, status.pauses().stalls());
      json.writeEndObject();
      StorageStatus storage = status.storage();
      if (storage != null) {
        storage(json, storage);
      }
      json.writeObjectPropertyStart("dropped");
      status.dropped().forEach(json::writeNumberProperty);
      json.writeEndObject();
      curves(json, registry);
      hotKeys(json, hotKeys.hottest(HOT_KEYS, status.nowMicros()));
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void warnings(JsonGenerator json, List<Warning> warnings) {
    json.writeArrayPropertyStart("warnings");
    for (Warning warning : warnings) {
      json.writeStartObject();
      json.writeStringProperty("code", warning.kind().code());
      String about = warning.about();
      if (about != null) {
        json.writeStringProperty("about", about);
      }
      json.writeStringProperty("text", warning.text());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void replicas(JsonGenerator json, ServerStatus status) {
    json.writeArrayPropertyStart("replicas");
    for (ReplicaStatus replica : status.replicas()) {
      json.writeStartObject();
      json.writeNumberProperty("partition", replica.replica().partition());
      json.writeNumberProperty("index", replica.replica().index());
      json.writeStringProperty("state", HealthPage.state(replica));
      json.writeNumberProperty("keys", replica.keys());
      json.writeNumberProperty("transactions", replica.transactions());
      if (replica.copied() >= 0) {
        json.writeNumberProperty("copied", replica.copied());
      }
      if (replica.bytesLeft() >= 0) {
        json.writeNumberProperty("bytesLeft", replica.bytesLeft());
      }
      age(json, "watermarkAgeMicros", status, replica.watermarkMicros());
      age(json, "fenceAgeMicros", status, replica.fenceMicros());
      json.writeNumberProperty("held", replica.heldMessages());
      json.writeNumberProperty("recovered", replica.recovered());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void age(JsonGenerator json, String name, ServerStatus status, long micros) {
    if (micros > 0) {
      json.writeNumberProperty(name, status.nowMicros() - micros);
    }
  }

  private static void peers(JsonGenerator json, ServerStatus status) {
    json.writeArrayPropertyStart("peers");
    for (PeerStatus peer : status.peers()) {
      json.writeStartObject();
      json.writeStringProperty("server", peer.server());
      json.writeBooleanProperty("up", peer.up());
      json.writeNumberProperty("roundTripMicros", peer.roundTripMicros());
      json.writeNumberProperty("waitingBytes", peer.waitingBytes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void loops(JsonGenerator json, ServerStatus status) {
    json.writeArrayPropertyStart("loops");
    for (LoopStatus loop : status.loops()) {
      json.writeStartObject();
      json.writeNumberProperty("pendingTasks", loop.pendingTasks());
      json.writeNumberProperty("handoverMessages", loop.handoverMessages());
      json.writeNumberProperty("lagMicros", loop.lagMicros());
      json.writeNumberProperty("silentMicros", loop.silentMicros());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void pauses(JsonGenerator json, Pause.Kind kind, PauseSummary summary) {
    json.writeObjectPropertyStart(kind.code());
    json.writeNumberProperty("count", summary.count());
    json.writeNumberProperty("totalMicros", summary.totalMicros());
    json.writeNumberProperty("longestMicros", summary.longestMicros());
    json.writeNumberProperty("latestLongestMicros", summary.latestLongestMicros());
    json.writeEndObject();
  }

  private static void storage(JsonGenerator json, StorageStatus storage) {
    json.writeObjectPropertyStart("storage");
    json.writeNumberProperty("forces", storage.log().forces());
    json.writeNumberProperty("forceMicros", storage.log().forceMicros());
    json.writeNumberProperty("bytes", storage.log().bytes());
    json.writeNumberProperty("sinceCheckpointBytes", storage.sinceCheckpointBytes());
    json.writeBooleanProperty("checkpointing", storage.checkpointing());
    json.writeBooleanProperty("congested", storage.congested());
    json.writeStringProperty("failure", storage.failure());
    json.writeEndObject();
  }

  /** Writes counters by series, and histograms with the bounds and counts of their buckets. */
  private static void curves(JsonGenerator json, PrometheusRegistry registry) {
    json.writeObjectPropertyStart("metrics");
    for (MetricSnapshot metric : registry.scrape(CURVES::contains)) {
      String name = metric.getMetadata().getPrometheusName();
      if (metric instanceof CounterSnapshot counter) {
        counter
            .getDataPoints()
            .forEach(
                one -> {
                  String labels =
                      one.getLabels().stream()
                          .map(label -> label.getValue())
                          .collect(Collectors.joining("/"));
                  json.writeNumberProperty(
                      labels.isEmpty() ? name : name + "/" + labels, one.getValue());
                });
      } else if (metric instanceof HistogramSnapshot histogram) {
        histogram.getDataPoints().forEach(one -> buckets(json, name, one.getClassicBuckets()));
      }
    }
    json.writeEndObject();
  }

  private static void buckets(JsonGenerator json, String name, ClassicHistogramBuckets buckets) {
    json.writeObjectPropertyStart(name);
    json.writeArrayPropertyStart("bounds"); // all except the last, which is infinite
    for (int i = 0; i < buckets.size() - 1; i++) {
      json.writeNumber(buckets.getUpperBound(i));
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("counts");
    for (int i = 0; i < buckets.size(); i++) {
      json.writeNumber(buckets.getCount(i));
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void hotKeys(JsonGenerator json, List<HotKeys.HotKey> hot) {
    json.writeArrayPropertyStart("hotKeys");
    for (HotKeys.HotKey one : hot) {
      json.writeStartObject();
      String key = one.key().toString();
      json.writeStringProperty(
          "key", key.length() > LONGEST_KEY ? key.substring(0, LONGEST_KEY) + "…" : key);
      json.writeNumberProperty("perSecond", one.perSecond());
      json.writeArrayPropertyStart("windows");
      for (KeyWindow window : one.windows()) {
        json.writeStartObject();
        json.writeNumberProperty("partition", window.at().partition());
        json.writeStringProperty("txn", window.txn().toString());
        json.writeNumberProperty("readMicros", window.readMicros());
        json.writeNumberProperty("shownMicros", window.shownMicros());
        json.writeNumberProperty("decidedMicros", window.decidedMicros());
        json.writeBooleanProperty("committed", window.committed());
        json.writeNumberProperty("executions", window.executions());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
