package org.mortydb.distribution.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps every module within what the table of modules allows it. */
class ArchitectureTest {
  private static final String BASE = "org.mortydb";

  private static JavaClasses production;

  @BeforeAll
  static void importProduction() {
    production =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(BASE);
  }

  static List<ArchRule> rules() {
    return new ModuleRules(BASE).all();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void productionKeeps(ArchRule rule) {
    rule.check(production);
  }

  /** Without this, a module missing from the class path would keep every rule. */
  @Test
  void everyModuleIsSeen() {
    for (String module : ModuleRules.MAY_USE.keySet()) {
      assertThat(production)
          .anyMatch(type -> (type.getPackageName() + ".").startsWith(BASE + "." + module + "."));
    }
  }

  /** A package without the mark would be read with unspecified nullness by its users. */
  @Test
  void everyPackageIsNullMarked() {
    assertThat(production)
        .filteredOn(type -> !isGenerated(type.getPackage()))
        .extracting(JavaClass::getPackage)
        .isNotEmpty()
        .allMatch(
            javaPackage -> javaPackage.isAnnotatedWith("org.jspecify.annotations.NullMarked"));
  }

  private static boolean isGenerated(JavaPackage javaPackage) {
    return javaPackage.getRelativeName().equals("jmh_generated")
        || javaPackage.getClasses().stream()
            .anyMatch(type -> type.isAssignableTo("com.google.protobuf.MessageLite"));
  }
}
