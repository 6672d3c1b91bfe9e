#!/usr/bin/env bash
# Builds the last commit twice, in two folders, and compares every jar and archive byte by byte.
# Exits with 1 if any differ. It runs no tests and takes a few minutes. Arguments go to Maven, such
# as '-pl client -am' for a part of the tree.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JAVA_HOME=$("$root/support/find-jdk")
export JAVA_HOME MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}"

commit=$(git -C "$root" rev-parse HEAD)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for build in first second; do
  git clone -q "$root" "$folder/$build"
  git -C "$folder/$build" checkout -q --detach "$commit"
  (cd "$folder/$build" && mvn -q -B -ntp -Dmaven.test.skip=true -Dformat.skip package "$@")
  (cd "$folder/$build" &&
    find . -path '*/target/*' \( -name 'morty-*.jar' -o -name 'morty-*.tar.gz' \) -print0 |
    LC_ALL=C sort -z | xargs -0 cksum) >"$folder/$build.sums"
done

count=$(wc -l <"$folder/first.sums")
if ! diff "$folder/first.sums" "$folder/second.sums"; then
  echo "Two builds of ${commit:0:12} differ in the files above." >&2
  exit 1
fi
echo "Two builds of ${commit:0:12} are identical: $count jars and archives."
