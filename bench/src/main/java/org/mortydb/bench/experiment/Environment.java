package org.mortydb.bench.experiment;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.measure.ThreadMeter;
import org.mortydb.workloads.load.Rounded;

/** The environment of a measurement. */
public final class Environment {
  /** The key of the commit, in hexadecimal. It is absent if unknown. */
  public static final String COMMIT = "commit";

  /** The key of whether the code differed from the commit. */
  public static final String DIRTY = "dirty";

  private Environment() {}

  /** The facts, with the share of {@link MachineMeter#OTHER_PROGRAMS}. */
  public static Map<String, Object> facts(OptionalDouble otherPrograms) {
    Map<String, Object> facts = facts();
    otherPrograms.ifPresent(share -> facts.put(MachineMeter.OTHER_PROGRAMS, Rounded.to(3, share)));
    return facts;
  }

  /**
   * The facts, with the shares of {@link MachineMeter#OTHER_PROGRAMS}, {@link
   * ThreadMeter#COMPILERS} and {@link ThreadMeter#SERVER_COLLECTORS}.
   */
  public static Map<String, Object> facts(
      OptionalDouble otherPrograms, OptionalDouble compilers, OptionalDouble serverCollectors) {
    Map<String, Object> facts = facts(otherPrograms);
    compilers.ifPresent(share -> facts.put(ThreadMeter.COMPILERS, Rounded.to(3, share)));
    serverCollectors.ifPresent(
        share -> facts.put(ThreadMeter.SERVER_COLLECTORS, Rounded.to(3, share)));
    return facts;
  }

  /** Time, processors, JVM, system and version of the code, by name. */
  public static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("processors", Runtime.getRuntime().availableProcessors());
    facts.put("java", Runtime.version().toString());
    facts.put("vm", System.getProperty("java.vm.name"));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("arch", System.getProperty("os.arch"));
    CodeVersion.ofThisProcess()
        .ifPresent(
            version -> {
              facts.put(COMMIT, version.commit());
              facts.put(DIRTY, version.dirty());
            });
    return facts;
  }
}
