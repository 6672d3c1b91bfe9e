package org.mortydb.sim;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The result of a campaign as text and as JSON. */
final class SimReport {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private final CampaignOptions options;
  private final CampaignResult result;

  SimReport(CampaignOptions options, CampaignResult result) {
    this.options = options;
    this.result = result;
  }

  void print(PrintWriter out) {
    double seconds = result.elapsedMicros() / MICROS_PER_SECOND;
    out.printf(
        "%,d seeds in %.1f s (%.1f seeds/s): %,d events, %,.0f s of virtual time, %,d transactions,"
            + " %,d committed%n",
        result.seeds(),
        seconds,
        result.seeds() / seconds,
        result.events(),
        result.virtualMicros() / MICROS_PER_SECOND,
        result.marks().count("transactions"),
        result.marks().count("completed/committed"));
    result.mixes().forEach(one -> out.println(one.line()));
    out.printf(
        "undecided at the end: %,d transactions in %,d seeds%n",
        result.undecided(), result.undecidedSeeds());
    out.println("events:");
    result.marks().counts().forEach((mark, count) -> out.printf("  %-36s %,15d%n", mark, count));
    for (String mark : result.missingMarks()) {
      out.printf("NOT REACHED, but required in a campaign of this size: %s%n", mark);
    }
    for (SeedResult failure : result.failures()) {
      out.printf("%nSEED %d FAILED: %s%n", failure.seed(), failure.plan());
      failure.violations().forEach(violation -> out.println("  " + violation));
      out.println("replay it with:");
      out.println("  " + replay(failure));
    }
    if (result.isClean()) {
      out.println("no violation");
    }
  }

  String toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("firstSeed", options.firstSeed());
    json.put("seeds", result.seeds());
    json.put("mixes", result.mixes().stream().map(SimReport::mix).toList());
    json.put("faults", SimFault.format(options.seed().faults()));
    json.put("clean", result.isClean());
    json.put("seconds", result.elapsedMicros() / MICROS_PER_SECOND);
    json.put("events", result.events());
    json.put("virtualSeconds", result.virtualMicros() / MICROS_PER_SECOND);
    json.put("undecided", result.undecided());
    json.put("undecidedSeeds", result.undecidedSeeds());
    json.put("notReached", result.missingMarks());
    json.put("failures", result.failures().stream().map(this::failure).toList());
    json.put("marks", result.marks().counts());
    return JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build()
            .writeValueAsString(json)
        + "\n";
  }

  private String replay(SeedResult failure) {
    return options.seed().withMix(failure.mix()).replay(failure.seed());
  }

  private static Map<String, Object> mix(CampaignResult.OfMix one) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("mix", one.mix().label());
    json.put("seeds", one.seeds());
    json.put("failed", one.failed());
    json.put("marks", one.marks().counts());
    return json;
  }

  private Map<String, Object> failure(SeedResult failure) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seed", failure.seed());
    json.put("plan", failure.plan());
    json.put("digest", "%016x".formatted(failure.digest()));
    json.put("mix", failure.mix().label());
    json.put("replay", replay(failure));
    json.put("violations", failure.violations().stream().map(SimReport::violation).toList());
    return json;
  }

  private static Map<String, Object> violation(Violation violation) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rule", violation.rule());
    json.put("explanation", violation.explanation());
    return json;
  }
}
