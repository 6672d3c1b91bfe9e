#!/usr/bin/env bash
# Tries the chart on a Kubernetes cluster, all on this machine: a real API server with etcd, the controllers and
# the scheduler, built from Go modules, and a stand-in for the kubelets that runs pods as processes
# (kubernetes/kubelet.py). While a bank's clients transfer money, the release is upgraded, nodes are drained
# at the same time, and a backup is made. Then three releases run one region each. Two servers must never be down together, the bank's history must
# be serializable and its total must be right. Run it as root:
#
#   deploy/try/kubernetes.sh          some minutes; the first time it builds Kubernetes, which takes long
#   deploy/try/kubernetes.sh --keep   leaves everything running until a key is pressed
#
#   MORTY_TRY_KUBERNETES  folder for programs and results (default: /var/tmp/morty-try-kubernetes)
#   MORTY_TRY_LAYOUT      'regions' leaves out the layout with one Kubernetes cluster for all regions
#   MORTY_TRY_ARCHIVES    the folder with both archives (default: deploy/archive/target, built if necessary)
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
readonly state=${MORTY_TRY_KUBERNETES:-/var/tmp/morty-try-kubernetes} started=$SECONDS
readonly bin=$state/bin results=$state/results port=16443 token=try
export PATH=$bin:${XDG_CACHE_HOME:-$HOME/.cache}/morty-deploy-tools/bin:$PATH
export KUBECONFIG=$state/kubeconfig HELM_CACHE_HOME=$state/helm HELM_CONFIG_HOME=$state/helm HELM_DATA_HOME=$state/helm
processes=()

say() { echo "try: $*" >&2; }
step() { say "--- $((SECONDS - started)) s: $*"; }
fail() {
  say "FAILED: $*"
  exit 1
}

[[ $(id -u) == 0 ]] || fail "this script mounts folders: run it as root."
command -v helm >/dev/null || fail "helm is missing: deploy/check.sh --get installs it."
command -v go >/dev/null || fail "Go is missing, which builds Kubernetes."

# shellcheck disable=SC2317  # called by the trap
ended() {
  local process
  for process in "${processes[@]}"; do
    kill "$process" 2>/dev/null || true
  done
  wait 2>/dev/null || true
}

build() {
  mkdir -p "$bin"
  local name version
  version=$(sed -n 's/^require k8s.io\/kubernetes //p' "$here/kubernetes/go.mod")
  local package=k8s.io/component-base/version
  for name in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
    if [[ ! -x $bin/$name ]]; then
      step "building $name $version"
      (cd "$here/kubernetes" && go build -ldflags "-s -w -X $package.gitVersion=$version" -o "$bin/$name" "k8s.io/kubernetes/cmd/$name")
    fi
  done
  if [[ ! -x $bin/etcd ]]; then
    "$root/support/get-etcd" 3.6 >&2
    install "$root/peers/etcd/target/etcd-3.6" "$bin/etcd"
  fi
}

find_archives() {
  local folder=${MORTY_TRY_ARCHIVES:-$root/deploy/archive/target}
  if ! compgen -G "$folder/morty-experiments-*-runtime.tar.gz" >/dev/null; then
    step "making the archives"
    (cd "$root" && mvn -q -B -ntp -pl deploy/archive -am -Dmaven.test.skip=true package)
  fi
  rm -rf "$state/archive" "$state/experiments"
  mkdir -p "$state/archive" "$state/experiments"
  tar -xzf "$(compgen -G "$folder/morty-[0-9]*-runtime.tar.gz")" -C "$state/archive" --strip-components=1 --no-same-owner
  tar -xzf "$(compgen -G "$folder/morty-experiments-*-runtime.tar.gz")" -C "$state/experiments" --strip-components=1 --no-same-owner
}

# run NAME COMMAND...: starts a process that ends with this script.
run() {
  local name=$1
  shift
  "$@" >"$results/$name.log" 2>&1 &
  processes+=("$!")
}

start_kubernetes() {
  step "starting etcd, the API server, the controllers and the scheduler"
  rm -rf "$state/etcd" "$state/pki" "$state/volumes" "$state/helm"
  mkdir -p "$state/pki"
  openssl genrsa -out "$state/pki/accounts.key" 2048 2>/dev/null
  echo "$token,admin,admin,system:masters" >"$state/pki/tokens.csv"
  cat >"$KUBECONFIG" <<EOF2
apiVersion: v1
kind: Config
current-context: try
clusters: [{name: try, cluster: {server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: try, context: {cluster: try, user: admin}}]
EOF2
  chmod 600 "$KUBECONFIG"
  run etcd etcd --data-dir "$state/etcd" --listen-client-urls http://127.0.0.1:12379 \
    --advertise-client-urls http://127.0.0.1:12379 --listen-peer-urls http://127.0.0.1:12380 \
    --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster default=http://127.0.0.1:12380 --log-level error
  run apiserver kube-apiserver --etcd-servers http://127.0.0.1:12379 --bind-address 127.0.0.1 --secure-port $port \
    --cert-dir "$state/pki" --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$state/pki/accounts.key" --service-account-signing-key-file "$state/pki/accounts.key" \
    --token-auth-file "$state/pki/tokens.csv" --authorization-mode RBAC --service-cluster-ip-range 10.96.0.0/24 \
    --endpoint-reconciler-type none
  local second
  for second in {1..120}; do
    kubectl get --raw /readyz >/dev/null 2>&1 && break
    [[ $second != 120 ]] || fail "the API server is not ready; see $results/apiserver.log"
    sleep 1
  done
  run controllers kube-controller-manager --kubeconfig "$KUBECONFIG" --service-account-private-key-file "$state/pki/accounts.key" \
    --leader-elect=false --bind-address 127.0.0.1 --secure-port 10257 --cert-dir "$state/pki"
  run scheduler kube-scheduler --kubeconfig "$KUBECONFIG" --leader-elect=false --bind-address 127.0.0.1 --secure-port 10259 \
    --cert-dir "$state/pki"
  run kubelet python3 "$here/kubernetes/kubelet.py" --server "https://127.0.0.1:$port" --token $token --folder "$state" \
    --archive "$state/archive" node-a=us-east-1/us-east-1a node-b=eu-west-1/eu-west-1a node-c=ap-south-1/ap-south-1a
  kubectl version 2>/dev/null | grep Server >&2
  local i
  for i in {1..10}; do
    kubectl apply -f - >/dev/null <<EOF2
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-$i}
spec:
  capacity: {storage: 100Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: "$state/volumes/$i"}
EOF2
  done
  for second in {1..60}; do
    kubectl get serviceaccount default >/dev/null 2>&1 && break
    sleep 1
  done
}

# secret NAMESPACE SECRET FILE: from the certificate of a server or client.
secret() {
  kubectl --namespace "$1" create secret generic "$2" --from-file=ca.crt="$state/certs/ca.crt" \
    --from-file=tls.crt="$state/certs/$3.crt" --from-file=tls.key="$state/certs/$3.key" >/dev/null
}

readonly servers=(shop-us-east-0 shop-eu-west-0 shop-ap-south-0)
readonly chart=(--set "image.repository=registry.example/morty,image.tag=try,cluster.name=shop,cluster.partitions=2"
  --set "authorization.clients.app=write,backup.enabled=true,backup.size=1Gi,storage.size=1Gi"
  --set-string "java.options=-Xms256m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1")

# Counts the servers that are down, several times a second, for as long as the script runs.
watch_servers() {
  while true; do
    kubectl get pods -A --selector app.kubernetes.io/component=server \
      -o 'jsonpath={range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}{"\n"}' || true
    sleep 0.3
  done
}

# await_ready NAMESPACE SECONDS: until the pods of the namespace are up to date and ready.
await_ready() {
  local one
  for one in $(kubectl --namespace "$1" get statefulsets -o name); do
    kubectl --namespace "$1" rollout status "$one" --timeout "$2s" >&2 || fail "$one did not become ready; see $state/pods/*/log"
  done
}

check_watch() {
  local worst
  worst=$(awk -v from="$1" 'NR > from { down = 3; for (i = 1; i <= NF; i++) if ($i ~ /=True$/) down--; if (down > most) most = down }
    END { print most + 0 }' "$results/ready.log")
  [[ $worst == 1 ]] || fail "$worst servers were not ready at the same time, or none ever restarted; see $results/ready.log"
}

one_cluster() {
  step "one Kubernetes cluster for all regions: helm install"
  local server
  for server in "${servers[@]}"; do
    secret default "morty-server-$server" "server-$server"
  done
  secret default morty-client-operator client-operator
  helm install shop "$root/deploy/helm/morty" "${chart[@]}" >"$results/install.log"
  await_ready default 300
  kubectl get pods -o wide >&2
  step "helm test"
  helm test shop --timeout 5m >"$results/test.log" || fail "helm test failed; see $results/test.log and $state/pods/shop-test-*/log"
  cat "$state"/pods/shop-test-*/log >&2

  step "the bank opens"
  kubectl get configmap shop -o 'jsonpath={.data.cluster\.conf}' >"$state/cluster.conf"
  cat >>"$state/cluster.conf" <<EOF2

client.tls {certificate = "$state/certs/client-app.crt", key = "$state/certs/client-app.key", trust = "$state/certs/ca.crt"}
EOF2
  MORTY_JAVA_OPTS="-Xmx512m -XX:+UseSerialGC -Djdk.net.hosts.file=$state/hosts -Dsun.net.inetaddr.ttl=1" \
    "$state/experiments/bin/morty" bench transfer --accounts 200 --clients 8 --rate 40 --warmup 2 --seconds 420 \
    --connect "$state/cluster.conf" --region us-east --json "$results/bank.json" >"$results/bank.txt" 2>"$results/bank.log" &
  local bank=$!
  sleep 15

  step "helm upgrade with another setting: all servers restart"
  local from
  from=$(wc -l <"$results/ready.log")
  helm upgrade shop "$root/deploy/helm/morty" "${chart[@]}" --set-string 'settings.server\.replica\.retention=16s' >/dev/null
  await_ready default 600
  check_watch "$from"
  for server in "${servers[@]}"; do
    [[ $(kubectl get pod "$server" -o 'jsonpath={.metadata.labels.controller-revision-hash}') == \
      $(kubectl get statefulset "${server%-0}" -o 'jsonpath={.status.updateRevision}') ]] || fail "$server was not updated"
  done

  step "two nodes are drained at the same time"
  from=$(wc -l <"$results/ready.log")
  local one drains=()
  for one in node-a node-b; do
    (kubectl drain "$one" --ignore-daemonsets --delete-emptydir-data --timeout 300s && kubectl uncordon "$one") \
      >"$results/drain-$one.log" 2>&1 &
    drains+=("$!")
  done
  for one in "${drains[@]}"; do
    wait "$one" || fail "a drain failed; see $results/drain-*.log"
  done
  await_ready default 300
  check_watch "$from"

  step "a backup"
  kubectl create job --from cronjob/shop-backup backup-now >/dev/null
  kubectl wait --for condition=Complete job/backup-now --timeout 180s >&2 || fail "no backup; see $state/pods/backup-now-*/log"
  cat "$state"/pods/backup-now-*/log >&2

  step "the bank closes"
  wait "$bank" || fail "the bank's history is wrong; see $results/bank.txt"
  grep -E '^(transfer|all|serializable|aborted|unknown)' "$results/bank.txt" >&2
  # Servers that are all to stop would wait for each other.
  kubectl delete statefulsets --all --cascade orphan >/dev/null
  kubectl delete pods --all --grace-period 1 >/dev/null
  helm uninstall shop --no-hooks >/dev/null
}

# Three releases in three namespaces. Each runs one region, and reaches the others at their advertised
# addresses only. That is all that three Kubernetes clusters have in common.
three_clusters() {
  step "one Kubernetes cluster per region: three releases"
  local i one from
  cat >"$state/regions.yaml" <<EOF2
regions:
  - {name: us-east, replicas: 1, address: "127.9.0.1"}
  - {name: eu-west, replicas: 1, address: "127.9.0.2"}
  - {name: ap-south, replicas: 1, address: "127.9.0.3"}
expose: {type: HostPort}
backup: {enabled: false}
EOF2
  for i in 0 1 2; do
    one=${servers[i]#shop-}
    one=${one%-0}
    kubectl create namespace "$one" >/dev/null
    secret "$one" "morty-server-${servers[i]}" "server-${servers[i]}"
    secret "$one" morty-client-operator client-operator
    upgrade_region "$one" "127.9.0.$((i + 1))" 15s
  done
  for one in us-east eu-west ap-south; do
    await_ready "$one" 300
  done
  step "helm test in one of them"
  helm --namespace eu-west test shop --timeout 5m >"$results/test-regions.log" || fail "helm test failed; see $results/test-regions.log"
  step "helm upgrade in all of them at the same time"
  from=$(wc -l <"$results/ready.log")
  for i in 0 1 2; do
    one=${servers[i]#shop-}
    upgrade_region "${one%-0}" "127.9.0.$((i + 1))" 16s
  done
  for one in us-east eu-west ap-south; do
    await_ready "$one" 600
  done
  check_watch "$from"
}

# upgrade_region REGION ADDRESS RETENTION: installs or upgrades the release of a region.
upgrade_region() {
  helm --namespace "$1" upgrade --install shop "$root/deploy/helm/morty" "${chart[@]}" -f "$state/regions.yaml" \
    --set "localRegions={$1},expose.bindAddress=$2,backup.enabled=false" --set-string "podAnnotations.morty-try/address=$2" \
    --set-string "settings.server\.replica\.retention=$3" >>"$results/regions.log"
}

rm -rf "$results"
mkdir -p "$results"
trap ended EXIT
trap "exit 1" INT TERM
build
find_archives
start_kubernetes
rm -rf "$state/certs"
"$state/archive/bin/morty" certs --out "$state/certs" --cluster shop --servers "$(IFS=, && echo "${servers[*]}")" \
  --clients operator,app >/dev/null
watch_servers >"$results/ready.log" 2>/dev/null &
processes+=("$!")
if [[ ${MORTY_TRY_LAYOUT:-one} == one ]]; then
  one_cluster
fi
three_clusters
if [[ ${1:-} == --keep ]]; then
  read -rp "try: KUBECONFIG=$KUBECONFIG; press Enter to end " </dev/tty
fi
step "all went well; logs are in $results"
