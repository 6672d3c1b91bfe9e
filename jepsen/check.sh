#!/usr/bin/env bash
# Compiles the Jepsen suite and runs its own tests, which need no hosts. Where something that they need
# is missing, it says what, skips the tests and succeeds.
#
#   JAVA_HOME         a JDK 25, if the 'java' on the PATH is an older one
#   JEPSEN_CLASSPATH  a class path with the libraries of project.clj, where Clojars cannot be reached:
#                     Jepsen and Elle are built from their sources then. Leiningen is not used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

skip() {
  echo "jepsen/check.sh: the suite was not compiled and its tests were skipped: $*"
  exit 0
}

# Leiningen reads JAVA_CMD.
export JAVA_CMD=${JAVA_HOME:+$JAVA_HOME/bin/}java
release=$("$JAVA_CMD" -XshowSettings:properties -version 2>&1 |
  sed -n 's/^ *java\.specification\.version = //p') || true
[[ $release =~ ^[0-9]+$ ]] && ((release >= 25)) ||
  skip "the client needs a JDK 25, and $JAVA_CMD is Java ${release:-nothing}. Set JAVA_HOME"

if [[ -z ${JEPSEN_CLASSPATH:-} ]]; then
  command -v lein >/dev/null ||
    skip "there is no Leiningen. Install it, or pass the libraries in JEPSEN_CLASSPATH"
  if ! said=$(lein classpath 2>&1); then
    why=$(grep -m 1 -E '^(Could not|Cannot) ' <<<"$said" || tail -n 1 <<<"$said")
    # From Clojars come Jepsen and what it needs; only the client comes from this checkout.
    if grep -qE '^Could not [a-z]+ artifact jepsen:' <<<"$said"; then
      skip "Clojars cannot be reached. Pass the libraries in JEPSEN_CLASSPATH. Leiningen said: $why"
    elif grep -q 'org\.mortydb:' <<<"$said"; then
      skip "the client is not in the local Maven repository. Install it as README.md says." \
        "Leiningen said: $why"
    fi
    skip "a library of project.clj cannot be had. Leiningen said: $why"
  fi
  JEPSEN_CLASSPATH=$(tail -n 1 <<<"$said")
fi

namespaces=$(cd test && find . -name '*_test.clj' | sort |
  sed 's,^\./,,; s,/,.,g; s,_,-,g; s,\.clj$,,' | tr '\n' ' ')
exec "$JAVA_CMD" -Djava.awt.headless=true --enable-native-access=ALL-UNNAMED \
  -cp "src:resources:test:$JEPSEN_CLASSPATH" clojure.main -e "
    (require 'clojure.test 'jepsen.morty.cli)
    (let [namespaces '[$namespaces]]
      (run! require namespaces)
      (let [result (apply clojure.test/run-tests namespaces)]
        (shutdown-agents)
        (System/exit (if (and (pos? (:test result)) (clojure.test/successful? result)) 0 1))))"
