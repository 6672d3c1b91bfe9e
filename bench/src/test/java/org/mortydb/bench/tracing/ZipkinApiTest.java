package org.mortydb.bench.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ZipkinApiTest {
  @ParameterizedTest
  @CsvSource({
    "http://zipkin:9411, http://zipkin:9411",
    "https://zipkin, https://zipkin",
    "https://zipkin/, https://zipkin",
    "http://zipkin:9411/zipkin/, http://zipkin:9411",
    "http://zipkin:9411/api/v2/spans, http://zipkin:9411",
    "http://proxy/traces/zipkin, http://proxy/traces",
  })
  void anAddressMayBeThatOfAPage(String text, URI base) {
    assertThat(ZipkinApi.base(text)).isEqualTo(base);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "zipkin",
        "zipkin:9411",
        "127.0.0.1:9411",
        "ftp://zipkin",
        "http://a b",
        "http://z:99999"
      })
  void otherTextsAreNoAddress(String text) {
    assertThat(ZipkinApi.base(text)).isNull();
  }
}
