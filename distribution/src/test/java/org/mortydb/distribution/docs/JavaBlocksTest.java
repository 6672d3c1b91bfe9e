package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java that the documents show can be compiled. */
@Tag("slow")
final class JavaBlocksTest {
  /** Pages whose Java is looked after elsewhere. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "docs/how-to/add-a-system.md", "AddASystemTest finds it in the example",
          "docs/how-to/add-a-workload.md", "AddAWorkloadTest finds it in the example",
          "docs/tutorial.md", "TutorialTest finds it in the tutorial's programs",
          "docs/reference/ycsb.md", "of the module ycsb, which is no part of this class path");

  /** What the reader knows already where such a block stands. */
  private static final String AROUND =
      """
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import io.prometheus.metrics.model.registry.PrometheusRegistry;
      import org.junit.jupiter.api.*;
      import org.mortydb.client.*;
      import org.mortydb.client.metrics.*;
      import org.mortydb.client.net.*;
      import org.mortydb.testing.*;
      import org.mortydb.telemetry.tracing.*;
      import org.mortydb.config.*;

      class %s {
        Client client;
        DirectTransaction txn;
        TypedKey<Long> key, from, to;
        ClusterConfig config, cluster;
        PrometheusRegistry registry;
        %s
        void run() throws Exception {
          %s
        }
      }
      """;

  @TempDir Path folder;

  @Test
  void everyBlockOfJavaCompiles() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String page : Documents.pages()) {
      for (Documents.Block block : Documents.blocks(page)) {
        if (block.info().equals("java") && !ELSEWHERE.containsKey(page)) {
          String name = page.replaceAll("\\W", "_") + "_" + block.line();
          sources.add(Files.writeString(folder.resolve(name + ".java"), whole(name, block)));
        }
      }
    }
    assertThat(sources).isNotEmpty();
    StringWriter errors = new StringWriter();
    assertThat(compile(sources, errors)).as("%s", errors).isTrue();
  }

  private static String whole(String name, Documents.Block block) {
    String text = block.text().replaceAll("(?m)^ *\\.\\.\\.$", "");
    if (text.contains("class ")) {
      return AROUND.formatted(name, text, "");
    }
    Map<Boolean, String> members =
        text.lines()
            .collect(
                Collectors.partitioningBy(
                    line -> line.startsWith("static final "), Collectors.joining("\n")));
    return AROUND.formatted(name, members.get(true), members.get(false));
  }

  private boolean compile(List<Path> sources, StringWriter errors) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-proc:none", "-d", folder.toString(), "-cp", System.getProperty("java.class.path"));
      return compiler
          .getTask(errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
          .call();
    }
  }
}
