package org.mortydb.testing;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.mortydb.client.Client;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;

/**
 * The extension behind {@link MortyCluster}. Register it directly for options that the annotation
 * lacks:
 *
 * {@snippet :
 * @RegisterExtension
 * static final MortyExtension morty =
 *     new MortyExtension(EmbeddedOptions.DEFAULTS.withDelay(Duration.ofMillis(20)));
 * }
 */
public final class MortyExtension
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(MortyExtension.class);

  private final @Nullable EmbeddedOptions own;

  /** Creates an extension with the options of {@link MortyCluster}. */
  public MortyExtension() {
    own = null;
  }

  /** Creates an extension with one cluster for all tests of the class. */
  public MortyExtension(EmbeddedOptions options) {
    own = options;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    MortyCluster annotation = annotationOf(context);
    if (own != null) {
      if (find(context) == null) { // a nested class shares the outer one
        start(context, own);
      }
    } else if (annotation != null && !annotation.perTest()) {
      start(context, optionsOf(annotation));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    closeOwn(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    MortyCluster annotation = own == null ? nearestAnnotation(context) : null;
    if (annotation != null && annotation.perTest()) {
      start(context, optionsOf(annotation));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    closeOwn(context);
  }

  private static void start(ExtensionContext context, EmbeddedOptions options) {
    context.getStore(NAMESPACE).put(context.getUniqueId(), EmbeddedCluster.start(options));
  }

  private static void closeOwn(ExtensionContext context) {
    EmbeddedCluster cluster =
        context.getStore(NAMESPACE).remove(context.getUniqueId(), EmbeddedCluster.class);
    if (cluster != null) {
      cluster.close();
    }
  }

  /** The cluster of the context, or of the closest enclosing one. */
  private static @Nullable EmbeddedCluster find(ExtensionContext context) {
    for (Optional<ExtensionContext> at = Optional.of(context);
        at.isPresent();
        at = at.get().getParent()) {
      EmbeddedCluster cluster =
          at.get().getStore(NAMESPACE).get(at.get().getUniqueId(), EmbeddedCluster.class);
      if (cluster != null) {
        return cluster;
      }
    }
    return null;
  }

  private static @Nullable MortyCluster annotationOf(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestClass(), MortyCluster.class)
        .orElse(null);
  }

  private static @Nullable MortyCluster nearestAnnotation(ExtensionContext context) {
    for (Optional<ExtensionContext> at = Optional.of(context);
        at.isPresent();
        at = at.get().getParent()) {
      MortyCluster annotation = annotationOf(at.get());
      if (annotation != null) {
        return annotation;
      }
    }
    return null;
  }

  private static EmbeddedOptions optionsOf(MortyCluster annotation) {
    EmbeddedOptions options =
        EmbeddedOptions.DEFAULTS
            .withF(annotation.f())
            .withPartitions(annotation.partitions())
            .withDelay(Duration.ofMillis(annotation.delayMillis()));
    for (String setting : annotation.settings()) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw new ExtensionConfigurationException(
            "a setting of @MortyCluster must be \"name = value\", not \"" + setting + "\"");
      }
      options =
          options.withSetting(
              setting.substring(0, equals).strip(), setting.substring(equals + 1).strip());
    }
    return options;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == EmbeddedCluster.class
        || type == Client.class
        || type == MortyClient.class
        || type == ClusterConfig.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    EmbeddedCluster cluster = find(context);
    if (cluster == null) {
      throw new ParameterResolutionException(whyNone(context));
    }
    Class<?> type = parameter.getParameter().getType();
    if (type == EmbeddedCluster.class) {
      return cluster;
    }
    return type == ClusterConfig.class ? cluster.config() : cluster.client();
  }

  private String whyNone(ExtensionContext context) {
    if (own != null) {
      return "no cluster: register MortyExtension in a static field, so that it can start one before"
          + " the first test";
    }
    return nearestAnnotation(context) == null
        ? "no cluster: annotate the class with @MortyCluster"
        : "no cluster yet: with perTest, @MortyCluster starts it for each test, after constructors"
            + " and @BeforeAll; make it a parameter of @BeforeEach or of the test";
  }
}
