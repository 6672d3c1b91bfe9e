package org.mortydb.experiments.paper;

import static org.mortydb.experiments.figure.PointTable.escaped;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.Provenance;
import tools.jackson.databind.node.ObjectNode;

/** The numbered sources of a report: the records of an experiment that share their commits. */
final class Sources {
  private final Map<Key, Set<ObjectNode>> sources = new LinkedHashMap<>();

  private record Key(String experiment, String code) {}

  /**
   * A reference to the source of a place, as HTML.
   *
   * @param records at least one record, all of one experiment
   */
  String cite(Collection<ObjectNode> records) {
    String experiment = records.iterator().next().path(PointRecord.EXPERIMENT).asString("");
    Key key = new Key(experiment, Provenance.of(records).code());
    sources.computeIfAbsent(key, any -> new LinkedHashSet<>()).addAll(records);
    int number = new ArrayList<>(sources.keySet()).indexOf(key) + 1;
    return "<sup class=\"source\"><a href=\"#source-%d\">%d</a></sup>".formatted(number, number);
  }

  /** The list of all sources, as HTML; empty if there are none. */
  String html() {
    if (sources.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder("<h2>Sources</h2>\n<ol>\n");
    int number = 0;
    for (Map.Entry<Key, Set<ObjectNode>> source : sources.entrySet()) {
      number++;
      Set<ObjectNode> records = source.getValue();
      List<Integer> rounds =
          records.stream()
              .map(record -> record.path(PointRecord.ROUND).asInt(1))
              .distinct()
              .toList();
      out.append(
          "<li id=\"source-%d\"><code>%s</code>: %,d %s in %s; %s</li>\n"
              .formatted(
                  number,
                  escaped(source.getKey().experiment),
                  records.size(),
                  records.size() == 1 ? "record" : "records",
                  rounds.size() == 1 ? "one round" : rounds.size() + " rounds",
                  escaped(Provenance.of(records).text())));
    }
    return out.append("</ol>\n").toString();
  }
}
