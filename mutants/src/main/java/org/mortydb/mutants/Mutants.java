package org.mortydb.mutants;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The list of all mutants, in resources by area. */
final class Mutants {
  private static final List<String> AREAS =
      List.of(
          "replica",
          "coordinator",
          "recovery",
          "truncation",
          "joining",
          "restart",
          "cuts",
          "levels",
          "durability",
          "maps",
          "merges",
          "client",
          "server",
          "wire",
          "storage",
          "check");

  private Mutants() {}

  /**
   * @throws IllegalArgumentException if two have one name
   */
  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String area : AREAS) {
      Config config =
          ConfigFactory.parseResources(
                  Mutants.class.getClassLoader(),
                  "mutants/" + area + ".conf",
                  ConfigParseOptions.defaults().setAllowMissing(false))
              .resolve();
      for (Config entry : config.getConfigList("mutants")) {
        Mutant mutant = Mutant.of(entry);
        if (!names.add(mutant.name())) {
          throw new IllegalArgumentException("two mutants are named " + mutant.name());
        }
        all.add(mutant);
      }
    }
    return all;
  }
}
