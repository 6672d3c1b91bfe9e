package org.mortydb.bench.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import brave.handler.MutableSpan;
import java.util.List;

/** The spans of one trace. */
record SpanTree(List<MutableSpan> spans) {

  List<MutableSpan> all(String name) {
    return spans.stream().filter(span -> name.equals(span.name())).toList();
  }

  MutableSpan one(String name) {
    List<MutableSpan> found = all(name);
    assertThat(found).as("spans called '%s' among %s", name, this).hasSize(1);
    return found.getFirst();
  }

  List<MutableSpan> childrenOf(MutableSpan parent, String name) {
    return all(name).stream().filter(span -> parent.id().equals(span.parentId())).toList();
  }

  MutableSpan childOf(MutableSpan parent, String name) {
    List<MutableSpan> found = childrenOf(parent, name);
    assertThat(found).as("children '%s' of %s among %s", name, parent.name(), this).hasSize(1);
    return found.getFirst();
  }

  /** Every span but the root hangs on one that is there. */
  void assertWhole() {
    List<String> ids = spans.stream().map(MutableSpan::id).toList();
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(spans)
        .allSatisfy(
            span -> {
              if (span.parentId() == null) {
                assertThat(span.name()).isEqualTo("transaction");
              } else {
                assertThat(ids).contains(span.parentId());
              }
              assertThat(span.finishTimestamp()).isGreaterThan(span.startTimestamp());
            });
    assertThat(spans).filteredOn(span -> span.parentId() == null).hasSize(1);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (MutableSpan span : spans) {
      text.append('\n').append(span);
    }
    return text.toString();
  }
}
