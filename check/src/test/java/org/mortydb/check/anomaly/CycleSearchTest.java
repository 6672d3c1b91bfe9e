package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;

/** The search for cycles looks at parts of the graph. */
class CycleSearchTest {

  @Test
  void findsACycleThatIsLongerThanTheFirstPart() {
    int transactions = 4_200;
    DependencyGraph ring = new DependencyGraph(transactions);
    for (int i = 0; i < transactions; i++) {
      ring.add(i, (i + 1) % transactions, Dependency.WW, 0, 0);
    }
    assertThat(CycleSearch.find(ring))
        .singleElement()
        .satisfies(
            cycle -> {
              assertThat(cycle.kind()).isEqualTo(Kind.G0);
              assertThat(cycle.edges()).hasSize(transactions);
            });
  }
}
