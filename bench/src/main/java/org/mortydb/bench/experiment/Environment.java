package org.mortydb.bench.experiment;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** The environment of a measurement. */
public final class Environment {
  private Environment() {}

  /** Time, processors, JVM and system, by name. */
  public static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("processors", Runtime.getRuntime().availableProcessors());
    facts.put("java", Runtime.version().toString());
    facts.put("vm", System.getProperty("java.vm.name"));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("arch", System.getProperty("os.arch"));
    return facts;
  }
}
