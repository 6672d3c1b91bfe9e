package org.mortydb.server.admin;

import java.io.StringWriter;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.telemetry.metrics.AdminHttp.Answer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The replies of /health/live and /health/ready: status 200 or 503, and JSON with the reason. */
final class HealthPage {
  private static final JsonFactory JSON = new JsonFactory();

  private HealthPage() {}

  static Answer live(ServerStatus status) {
    Health health = Health.of(status);
    return answer("live", health.live(), health, status);
  }

  static Answer ready(ServerStatus status) {
    Health health = Health.of(status);
    return answer("ready", health.ready(), health, status);
  }

  private static Answer answer(String question, boolean yes, Health health, ServerStatus status) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeBooleanProperty(question, yes);
      json.writeStringProperty("cluster", status.cluster());
      json.writeStringProperty("server", status.server());
      json.writeStringProperty("region", status.region());
      json.writeArrayPropertyStart("problems");
      health.problems().forEach(json::writeString);
      json.writeEndArray();
      json.writeArrayPropertyStart("replicas");
      for (ReplicaStatus replica : status.replicas()) {
        json.writeStartObject();
        json.writeNumberProperty("partition", replica.replica().partition());
        json.writeStringProperty("state", state(replica));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return new Answer(yes ? 200 : 503, "application/json", text.toString());
  }

  /** Returns the state of a replica as one word. */
  static String state(ReplicaStatus replica) {
    return replica.stopped() ? "stopped" : replica.serving() ? "serving" : "joining";
  }
}
