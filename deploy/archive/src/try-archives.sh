#!/usr/bin/env bash
# Unpacks both archives and uses them as a host would: try-archives.sh FOLDER VERSION.
#
# For hosts: only the libraries of host-libraries.txt; certificates, a cluster of three servers with
# TLS and storage, and the operator's commands on it; no dead links in the documentation.
# For experiments: a checked workload on a cluster of its own with TLS and storage.
set -euo pipefail
target=$1 version=$2
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
servers=()
# shellcheck disable=SC2317,SC2329  # called by the trap
end() {
  ((${#servers[@]} == 0)) || kill "${servers[@]}" 2>/dev/null || true
  wait
  rm -rf "$folder"
}
trap end EXIT
unset JAVA_HOME MORTY_JAVA_HOME MORTY_PLUGINS MORTY_CONFIG
export MORTY_JAVA_OPTS="-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"

fail() {
  echo "try-archives: $*" >&2
  exit 1
}

for archive in morty-"$version" morty-experiments-"$version"; do
  for kind in portable runtime; do
    echo "$archive-$kind.tar.gz: $(stat -c %s "$target/$archive-$kind.tar.gz") bytes"
  done
  tar -xzf "$target/$archive-runtime.tar.gz" -C "$folder"
done
host=$folder/morty-$version experiments=$folder/morty-experiments-$version
morty=$host/bin/morty

# --- the archive for hosts
unknown=$(find "$host/lib" -name '*.jar' -printf '%f\n' | sed -E 's/-[0-9][^-]*(-SNAPSHOT)?((-(linux|osx|windows)-[a-z0-9_]+)?)\.jar$/\2/' |
  sort -u | grep -vxF -f "$here/host-libraries.txt" || true)
[[ -z $unknown ]] || fail "the archive for hosts has libraries that $here/host-libraries.txt does not list: $unknown"
[[ ! -e $host/plugins ]] || fail "the archive for hosts has plug-ins"

dead=0
while IFS=: read -r page link; do
  target_of_link=${link#*\(}
  if [[ $target_of_link != *://* && ! -e $(dirname "$page")/$target_of_link ]]; then
    echo "dead link in $page: $target_of_link" >&2
    dead=1
  fi
done < <(grep -roE '\]\([^)# ]+' --include='*.md' "$folder")
((dead == 0)) || fail "the documentation has dead links"

"$morty" --version
"$morty" certs --out "$folder/certs" --cluster try --servers a,b,c --clients shop >/dev/null
mkdir "$folder/data"
# Below the ports that tests take, which may run beside this.
port=$((10000 + RANDOM % 4990))
cat >"$folder/cluster.conf" <<END
cluster {
  name = try, f = 1, partitions = 2, regions = [us, eu, ap]
  servers = [
    { name = a, region = us, listen = "127.0.0.1:$port", admin = $((port + 3)) }
    { name = b, region = eu, listen = "127.0.0.1:$((port + 1))" }
    { name = c, region = ap, listen = "127.0.0.1:$((port + 2))" }
  ]
}
server { durability = sync, data = data, replica.retention = 1s }
server.tls {
  enabled = true, certificate = "certs/server-{name}.crt", key = "certs/server-{name}.key", trust = "certs/ca.crt"
}
client.tls { certificate = "certs/client-shop.crt", key = "certs/client-shop.key" }
server.authorization.clients { shop = write }
END
export MORTY_CONFIG=$folder/cluster.conf
for name in a b c; do
  "$morty-server" --config "$MORTY_CONFIG" --name "$name" >"$folder/$name.log" 2>&1 &
  servers+=($!)
done
# A busy machine may make servers stand still, which they warn of; any other warning is an error.
status=0
"$morty" status --wait 120 --output json >"$folder/status.json" || status=$?
if ((status == 4)) && ! grep '"code" :' "$folder/status.json" | grep -qv '"pause"'; then
  status=0
fi
((status == 0)) || {
  cat "$folder"/?.log "$folder/status.json" >&2
  fail "the servers do not serve, or warn: 'morty status' ended with exit code $status"
}
timeout 120 "$morty" verify running --seconds 2 --clients 4
kill "${servers[@]}"
wait "${servers[@]}" || true
servers=()
"$morty" verify stored

# --- the archive for experiments
timeout 240 "$experiments/bin/morty" bench transfer --tls --durability sync --data "$folder/data" \
  --accounts 200 --clients 4 --warmup 1 --seconds 2 2>/dev/null
echo "both archives work"
