#!/usr/bin/env bash
# Compiles the Jepsen suite and runs its own tests, which need no hosts. Says what was skipped, and why,
# where the libraries of project.clj cannot be had.
#
#   JEPSEN_CLASSPATH  a class path with the libraries of project.clj, where Clojars cannot be reached:
#                     Jepsen and Elle are built from their sources then. Leiningen is not used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

skip() {
  echo "jepsen/check.sh: the suite was not compiled and its tests were skipped: $*"
  exit 0
}

namespaces=$(cd test && find . -name '*_test.clj' | sort |
  sed 's,^\./,,; s,/,.,g; s,_,-,g; s,\.clj$,,' | tr '\n' ' ')

if [[ -n ${JEPSEN_CLASSPATH:-} ]]; then
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Djava.awt.headless=true --enable-native-access=ALL-UNNAMED \
    -cp "src:resources:test:$JEPSEN_CLASSPATH" clojure.main -e "
      (require 'clojure.test 'jepsen.morty.cli)
      (let [namespaces '[$namespaces]]
        (run! require namespaces)
        (let [result (apply clojure.test/run-tests namespaces)]
          (shutdown-agents)
          (System/exit (if (and (pos? (:test result)) (clojure.test/successful? result)) 0 1))))"
fi

command -v lein >/dev/null || skip "there is no Leiningen"
if ! problem=$(lein deps 2>&1); then
  skip "a library of project.clj cannot be had. Is the client installed, and can Clojars be reached?" \
    "Leiningen said: $(tail -n 1 <<<"$problem")"
fi
lein test
