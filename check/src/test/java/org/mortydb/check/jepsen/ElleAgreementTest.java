package org.mortydb.check.jepsen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.check.anomaly.Anomaly.Kind.ABORTED_READ;
import static org.mortydb.check.anomaly.Anomaly.Kind.DUPLICATE_ELEMENT;
import static org.mortydb.check.anomaly.Anomaly.Kind.G0;
import static org.mortydb.check.anomaly.Anomaly.Kind.G1C;
import static org.mortydb.check.anomaly.Anomaly.Kind.G2_ITEM;
import static org.mortydb.check.anomaly.Anomaly.Kind.G_SINGLE;
import static org.mortydb.check.anomaly.Anomaly.Kind.INCOMPATIBLE_ORDER;
import static org.mortydb.check.anomaly.Anomaly.Kind.INTERMEDIATE_READ;
import static org.mortydb.check.anomaly.Anomaly.Kind.INTERNAL;
import static org.mortydb.check.anomaly.Anomaly.Kind.LOST_UPDATE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.anomaly.Verdict;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;

/**
 * The project's checkers and Elle come to the same verdict on histories that were recorded, made by
 * hand, and recorded and changed afterwards. Elle's verdicts lie beside them, in verdicts.edn.
 */
final class ElleAgreementTest {
  private static final String FOLDER = "histories/";

  /**
   * What this project's checkers may call what Elle calls so. They stop at contradictions about one
   * key, such as a lost update, where Elle goes on and finds the cycle that follows from it; and a
   * read that contradicts its own transaction they compare with nothing else.
   */
  private static final Map<String, Set<Kind>> NAMES =
      Map.ofEntries(
          Map.entry("G0", EnumSet.of(G0)),
          Map.entry("G1a", EnumSet.of(ABORTED_READ)),
          Map.entry("G1b", EnumSet.of(INTERMEDIATE_READ)),
          Map.entry("G1c", EnumSet.of(G1C)),
          Map.entry("G-single-item", EnumSet.of(G_SINGLE, LOST_UPDATE, INCOMPATIBLE_ORDER)),
          Map.entry("G2-item", EnumSet.of(G2_ITEM, LOST_UPDATE)),
          Map.entry("internal", EnumSet.of(INTERNAL)),
          Map.entry("lost-update", EnumSet.of(LOST_UPDATE, INCOMPATIBLE_ORDER)),
          Map.entry("dirty-update", EnumSet.of(ABORTED_READ)),
          Map.entry("duplicate-elements", EnumSet.of(DUPLICATE_ELEMENT)),
          Map.entry("incompatible-order", EnumSet.of(INCOMPATIBLE_ORDER, INTERNAL)));

  record Judged(String name, boolean valid, List<String> anomalies) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Judged> histories() throws IOException {
    List<Judged> histories = new ArrayList<>();
    Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
    try (InputStream in = open("verdicts.edn")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        List<?> verdict = (List<?>) parser.nextValue(Parsers.newParseable(line));
        List<String> anomalies =
            ((List<?>) verdict.get(2)).stream().map(a -> ((Keyword) a).getName()).toList();
        histories.add(new Judged((String) verdict.get(0), (Boolean) verdict.get(1), anomalies));
      }
    }
    return histories;
  }

  private static @Nullable InputStream find(String name) {
    return ElleAgreementTest.class.getResourceAsStream(FOLDER + name);
  }

  private static InputStream open(String name) {
    return Objects.requireNonNull(find(name), name);
  }

  private static List<Operation> read(String name) throws IOException {
    try (InputStream plain = find(name + ".edn")) {
      if (plain != null) {
        return OperationReader.read(plain, name);
      }
    }
    try (InputStream packed = new GZIPInputStream(open(name + ".edn.gz"))) {
      return OperationReader.read(packed, name);
    }
  }

  private static HistoryCheck checkOf(String name) {
    return name.startsWith("register") ? HistoryCheck.REGISTER : HistoryCheck.APPEND;
  }

  @ParameterizedTest
  @MethodSource("histories")
  void bothComeToTheSameVerdict(Judged history) throws IOException {
    Verdict verdict = checkOf(history.name).check(read(history.name), Order.NONE);
    assertThat(verdict.isSerializable()).as("%s", verdict).isEqualTo(history.valid);
    if (verdict instanceof Verdict.Violated violated) {
      List<Kind> found = violated.first().stream().map(Anomaly::kind).toList();
      for (String anomaly : history.anomalies) {
        Set<Kind> names = NAMES.get(anomaly);
        assertThat(names).as("a name for Elle's %s", anomaly).isNotNull();
        assertThat(found).as("Elle's %s, in %s", anomaly, verdict).containsAnyElementsOf(names);
      }
    }
  }

  /** Without this, a verdict without a history would not be missed. */
  @Test
  void manyAreGoodAndManyBadInManyWays() throws IOException {
    List<Judged> histories = histories();
    assertThat(histories).filteredOn(Judged::valid).hasSizeGreaterThanOrEqualTo(6);
    assertThat(histories.stream().flatMap(h -> h.anomalies.stream()).distinct())
        .containsExactlyInAnyOrderElementsOf(NAMES.keySet());
  }
}
