package org.mortydb.mutants;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.mutants.Lane.Sim;
import org.mortydb.mutants.MutationRun.Fate;

/** The result of a run, as text and as JSON. */
final class Report {
  private final List<Fate> fates;
  private final double seconds;

  /**
   * @param seconds the time of the whole run
   */
  Report(List<Fate> fates, double seconds) {
    this.fates = fates;
    this.seconds = seconds;
  }

  List<Fate> survivors() {
    return fates.stream().filter(Fate::survived).toList();
  }

  private long caught() {
    return fates.size() - equivalent() - survivors().size();
  }

  private long equivalent() {
    return fates.stream().filter(fate -> fate.mutant().isEquivalent()).count();
  }

  /** The mutants that no test class catches; a simulation does. */
  private List<Fate> simulatedOnly() {
    return fates.stream()
        .filter(fate -> !fate.caughtBy().isEmpty())
        .filter(fate -> fate.caughtBy().stream().allMatch(Sim.class::isInstance))
        .toList();
  }

  void print(PrintStream out) {
    out.printf(
        "%d mutants in %.0f s: %d caught, %d equivalent, %d survived%n",
        fates.size(), seconds, caught(), equivalent(), survivors().size());
    for (Fate fate : simulatedOnly()) {
      out.printf("  %s: caught by simulation alone%n", fate.mutant().name());
    }
    for (Fate fate : survivors()) {
      out.printf("  %s SURVIVED: %s%n", fate.mutant().name(), fate.mutant().breaks());
    }
  }

  String json() {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    report.put("java", Runtime.version().toString());
    report.put("seconds", rounded(seconds));
    report.put("mutants", fates.size());
    report.put("caught", caught());
    report.put("equivalent", equivalent());
    report.put("survived", survivors().size());
    report.put("caughtBySimulationAlone", simulatedOnly().size());
    report.put("fates", fates.stream().map(Report::fields).toList());
    return ConfigValueFactory.fromMap(report)
            .render(ConfigRenderOptions.concise().setFormatted(true))
        + "\n";
  }

  private static Map<String, Object> fields(Fate fate) {
    Mutant mutant = fate.mutant();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", mutant.name());
    fields.put("rule", mutant.rule());
    fields.put("breaks", mutant.breaks());
    fields.put("file", mutant.file());
    if (!fate.caughtBy().isEmpty()) {
      fields.put("caughtBy", fate.catchers());
    }
    if (!fate.trouble().isEmpty()) {
      fields.put("failed", fate.trouble());
    }
    if (mutant.isEquivalent()) {
      fields.put("equivalent", mutant.equivalent());
    }
    fields.put("seconds", rounded(fate.seconds()));
    return fields;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
