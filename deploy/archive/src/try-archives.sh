#!/usr/bin/env bash
# Unpacks an archive and uses it as a host would: creates certificates, starts three servers with TLS
# and storage, and runs a checked workload on them. Also checks the links in its documentation.
set -euo pipefail
archive=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tar -xzf "$archive" -C "$folder"
morty=$(echo "$folder"/morty-*/bin/morty)
unset JAVA_HOME MORTY_JAVA_HOME MORTY_JAVA_OPTS
"$morty" --version
"$morty" certs --out "$folder/certs" --cluster try --servers a,b,c --clients shop >/dev/null
"$morty-server" --help >/dev/null
dead=0
while IFS=: read -r page link; do
  target=${link#*\(}
  if [[ $target != *://* && ! -e $(dirname "$page")/$target ]]; then
    echo "dead link in $page: $target" >&2
    dead=1
  fi
done < <(grep -roE '\]\([^)# ]+' --include='*.md' "$folder")
((dead == 0))
mkdir "$folder/data"
MORTY_JAVA_OPTS="-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" \
  timeout 120 "$morty" bench transfer --tls --durability sync --data "$folder/data" \
  --accounts 200 --clients 4 --warmup 1 --seconds 2 2>/dev/null
echo "the archive $(basename "$archive") works"
