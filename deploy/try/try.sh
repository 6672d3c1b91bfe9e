#!/usr/bin/env bash
# Tests the playbooks on seven test machines in three regions, all on this machine (see hosts.sh).
# Deploys a cluster to them. While a bank's clients transfer money, the cluster's configuration changes,
# its servers restart, one machine loses power, and one server moves to a new machine. The bank's history
# must be serializable and its total must be right. Run it as root:
#
#   deploy/try/try.sh                 everything, about ten minutes; removes the machines at the end
#   deploy/try/try.sh --keep          leaves the machines running, for inspection
#   deploy/try/try.sh --clean         removes the machines that --keep has left
#
#   MORTY_TRY_STATE    folder for machines and results (default: /var/tmp/morty-try)
#   MORTY_TRY_ARCHIVES  the folder with both archives (default: deploy/archive/target, built if necessary)
#   MORTY_TRY_ANSIBLE  a folder with ansible-playbook (default: installed into the state folder)
#   MORTY_TRY_SECONDS  the length of the bank's days (default: 90)
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=hosts.sh
source "$here/hosts.sh"

readonly playbooks=$root/deploy/ansible results=$try_state/results inventory=$try_state/inventory
readonly day_seconds=${MORTY_TRY_SECONDS:-90} started=$SECONDS

step() { say "--- $((SECONDS - started)) s: $*"; }

find_archives() {
  local folder=${MORTY_TRY_ARCHIVES:-$root/deploy/archive/target}
  if ! compgen -G "$folder/morty-experiments-*-runtime.tar.gz" >/dev/null; then
    step "making the archives"
    (cd "$root" && mvn -q -B -ntp -pl deploy/archive -am -Dmaven.test.skip=true package)
  fi
  archive=$(compgen -G "$folder/morty-[0-9]*-runtime.tar.gz")
  experiments_archive=$(compgen -G "$folder/morty-experiments-*-runtime.tar.gz")
}

find_ansible() {
  local folder=${MORTY_TRY_ANSIBLE:-}
  if [[ -z $folder ]]; then
    folder=$try_state/ansible/bin
    if [[ ! -x $folder/ansible-playbook ]]; then
      step "installing ansible-core into $try_state/ansible"
      python3 -m venv "$try_state/ansible"
      "$folder/pip" install --quiet 'ansible-core>=2.16,<2.21'
    fi
  fi
  PATH=$folder:$PATH
}

# play NAME ARGUMENTS...: runs a playbook on the machines, from their network.
play() {
  local name=$1
  shift
  last_log=$results/$name-$SECONDS.log
  step "ansible-playbook $name.yml $*"
  (cd "$playbooks" && HOME=$try_state/home ANSIBLE_HOME=$try_state/home/.ansible ANSIBLE_NOCOLOR=1 \
    ip netns exec "$wan" ansible-playbook -i "$inventory" "$name.yml" "$@") >"$last_log" 2>&1 ||
    {
      tail -n 60 "$last_log" >&2
      fail "$name.yml failed; its output is in $results"
    }
}

write_inventory() {
  mkdir -p "$inventory/group_vars" "$try_state/home"
  cp "$playbooks/inventories/example/hosts.yml" "$inventory/hosts.yml"
  sed -i -e 's/192\.0\.2\./10.77.0./' -e 's/198\.51\.100\./10.77.1./' -e 's/203\.0\.113\./10.77.2./' "$inventory/hosts.yml"
  cat >"$inventory/group_vars/all.yml" <<EOF
ansible_user: admin
ansible_ssh_private_key_file: $ssh_key
ansible_ssh_extra_args: -o UserKnownHostsFile=$try_state/known_hosts -o StrictHostKeyChecking=yes
morty_cluster_name: try
morty_f: 1
morty_partitions: 2
morty_archive: $archive
morty_certs_dir: $try_state/certs
morty_heap: 256m
morty_jvm_options: -XX:+UseSerialGC
morty_require_clock_sync: false # the machines share this machine's clock
morty_settings:
  server.replica.retention: 20s
EOF
  cat >"$inventory/group_vars/morty_clients.yml" <<EOF
morty_archive: $experiments_archive
EOF
  if [[ -n $emulated ]]; then
    cat >>"$inventory/group_vars/all.yml" <<EOF
  emulation.delays.us-east: {eu-west: ${delays[1]}ms, ap-south: ${delays[2]}ms}
  emulation.delays.eu-west: {ap-south: ${delays[2]}ms}
EOF
  fi
  cat >>"$inventory/group_vars/all.yml" <<'EOF'
morty_clients_may:
  us-east-client: write
  eu-west-client: write
  ap-south-client: write
EOF
}

machines_up() {
  require_host_tools
  mkdir -p "$try_state" "$results"
  make_image
  make_key
  net_up
  local i
  for i in "${!regions[@]}"; do
    host_up "${regions[$i]}-1" "$i" 11
    host_up "${regions[$i]}-client" "$i" 21
    for number in 11 21; do
      echo "10.77.$i.$number $(cut -d ' ' -f 1,2 "$image/etc/ssh/ssh_host_ed25519_key.pub")"
    done
  done >"$try_state/known_hosts"
  # The machine to which a server moves.
  host_up eu-west-2 1 12
  echo "10.77.1.12 $(cut -d ' ' -f 1,2 "$image/etc/ssh/ssh_host_ed25519_key.pub")" >>"$try_state/known_hosts"
  for i in "${!regions[@]}"; do
    await_ssh "10.77.$i.11"
    await_ssh "10.77.$i.21"
  done
  await_ssh 10.77.1.12
}

# The command line, as unpacked by the playbooks.
morty() {
  "$(find "$try_state/home/.cache/morty" -path '*/bin/morty' | head -n 1)" "$@"
}

# The bank: an open loop from us-east, slow enough for any machine. Each day starts with newly written
# accounts and ends with a check. The bank runs day after day until it is told to close.
start_bank() {
  step "the bank opens, for days of $day_seconds s"
  # shellcheck disable=SC2016  # expanded on the machine
  on 10.77.0.21 'cd /var/lib/morty/results && export MORTY_JAVA_OPTS="-Xmx512m -XX:+UseSerialGC" && day=0
    while [ ! -e close ]; do
      day=$((day + 1))
      runuser -u morty -- morty bench transfer --connect /etc/morty/cluster.conf --region us-east \
        --round-trip 50 --accounts 1000 --zipf 0.6 --rate 40 --clients 256 --warmup 2 \
        --seconds '"$day_seconds"' --json "bank-$day.json" >"bank-$day.txt" 2>"bank-$day.log" || exit
    done' &
  bank=$!
  local i
  for ((i = 0; i < 120; i++)); do
    bank_runs
    if on 10.77.0.21 'grep -q "^measure" /var/lib/morty/results/bank-1.log' 2>/dev/null; then
      return
    fi
    sleep 1
  done
  fail "the bank did not open"
}

bank_runs() {
  kill -0 "$bank" 2>/dev/null || {
    on 10.77.0.21 'tail -n 20 /var/lib/morty/results/bank-*' >&2 || true
    fail "the bank closed unexpectedly; see the reason above"
  }
}

# starts: prints when each server was started.
starts() {
  local i
  for i in 0 1 2; do
    on "$(server_address "$i")" 'systemctl show --property=ExecMainStartTimestamp --value morty'
  done
}

# Checks that all servers run with the current files and have restarted since the given list of starts.
require_restarted() {
  local i
  for i in 0 1 2; do
    # shellcheck disable=SC2016  # expanded on the machine
    on "$(server_address "$i")" '[ "$(cat /run/morty/revision)" = "$(/opt/morty/revision)" ]' ||
      fail "server $i runs with old files"
  done
  [[ $(diff <(echo "$1") <(starts) | grep -c '^>') == 3 ]] || fail "a server was not restarted"
}

server_address() {
  if [[ $1 == 1 && -e $try_state/moved ]]; then
    echo 10.77.1.12
  else
    echo "10.77.$1.11"
  fi
}

await_serving() {
  local i
  for ((i = 0; i < 120; i++)); do
    if on "$1" /opt/morty/serves >/dev/null 2>&1; then
      return
    fi
    sleep 1
  done
  fail "the server at $1 did not serve again"
}

verify_bank() {
  step "the bank closes at the end of this day"
  bank_runs
  on 10.77.0.21 'touch /var/lib/morty/results/close'
  local code=0
  wait "$bank" || code=$?
  on 10.77.0.21 'cd /var/lib/morty/results && tar -cf - bank-*' | tar -xf - -C "$results"
  [[ $code == 0 ]] || fail "the bank ended with exit code $code; see $results/bank-*"
  python3 - "$results" <<'EOF'
import glob, json, sys
days = [json.load(open(name)) for name in glob.glob(sys.argv[1] + "/bank-*.json")]
committed = 0
for day in days:
    assert day["serializable"] is True, "a history is not serializable"
    assert day["consistent"] is True, "a day's sum is not right, or could not be looked at"
    committed += day["check"]["transactions"]
assert days and committed > 1000, f"hardly anything was committed: {committed} transactions"
worst = max(day["latencyMicros"]["max"] for day in days)
print(f"try: {committed} transactions on {len(days)} days, all serializable, every sum right; "
      f"the longest took {worst / 1e6:.1f} s")
EOF
}

everything() {
  machines_up
  write_inventory

  play site
  play site # changes nothing
  changed=$(grep -ho 'changed=[0-9]*' "$last_log" | sort -u)
  [[ $changed == changed=0 ]] || fail "a second run of site.yml made changes; see $results"

  start_bank

  step "a certificate is renewed, and a changed setting rolled out"
  morty certs --ca "$try_state/certs" --out "$try_state/renewed" --servers us-east-1 >/dev/null
  mv "$try_state"/renewed/server-us-east-1.* "$try_state/certs/"
  before=$(starts)
  sed -i 's/retention: 20s/retention: 25s/' "$inventory/group_vars/all.yml"
  play site
  require_restarted "$before"
  cmp "$try_state/certs/server-us-east-1.crt" <(on 10.77.0.11 'cat /etc/morty/certs/server-us-east-1.crt') ||
    fail "us-east-1 did not get its new certificate"
  bank_runs

  before=$(starts)
  play rolling-restart
  require_restarted "$before"
  bank_runs

  step "the machine of ap-south-1 loses its power, and comes back"
  host_off ap-south-1
  sleep 5
  host_up ap-south-1 2 11
  await_ssh 10.77.2.11
  await_serving 10.77.2.11
  bank_runs

  step "the line to ap-south is cut for ten seconds"
  ip -n "$wan" link set br2 down
  sleep 10
  ip -n "$wan" link set br2 up
  sleep 5
  bank_runs

  step "eu-west-1 moves to another machine"
  sed -i 's/10\.77\.1\.11/10.77.1.12/' "$inventory/hosts.yml"
  play replace-replica -e replica=eu-west-1 -e old_address=10.77.1.11
  touch "$try_state/moved"
  if on 10.77.1.11 'systemctl is-active morty' >/dev/null; then
    fail "the server on the old machine still runs"
  fi
  host_off eu-west-1
  bank_runs

  play rolling-restart --limit eu-west-1
  bank_runs

  verify_bank

  play experiment -e "into=$results/records minutes=10" \
    -e 'bench="smallbank --accounts 500 --hotspot 50 --clients 8 --warmup 2 --seconds 5 --round-trip 50"'
  [[ $(find "$results/records" -name '*.json' | wc -l) == 3 ]] || fail "the record of a client machine was not fetched"

  play collect -e "into=$results/collected" -e 'since="2 hours ago"'
  local i
  for i in "${regions[@]}"; do
    tar -xzOf "$results/collected/$i-1.tar.gz" ./journal.log | grep 'serving: server' >/dev/null ||
      fail "the journal of $i-1 was not collected"
    tar -xzOf "$results/collected/$i-1.tar.gz" ./metrics.txt | grep '^morty_replica_serving{.*1.0$' >/dev/null ||
      fail "the metrics of $i-1 were not collected"
  done
  if tar -tzf "$results/collected/us-east-1.tar.gz" | grep 'key$' >/dev/null; then
    fail "a key was collected"
  fi
  step "all went well; logs and records are in $results"
}

# Keeps the image and the results.
forget() {
  (cd "$try_state" && rm -rf ./certs ./renewed ./home ./inventory ./moved ./known_hosts ./key ./key.pub)
}

case ${1:-} in
  --clean)
    hosts_down
    forget
    ;;
  '' | --keep)
    # shellcheck disable=SC2317  # called by the trap
    ended() {
      local code=$?
      if [[ ${keep:-} != --keep ]]; then
        hosts_down
        forget
      fi
      exit "$code"
    }
    keep=${1:-}
    ip netns list | grep "^$wan\b" >/dev/null && fail "the machines of an earlier run still exist; remove them with: $0 --clean"
    mkdir -p "$try_state"
    rm -rf "$results"
    mkdir -p "$results"
    trap ended EXIT
    find_archives
    find_ansible
    everything
    ;;
  *)
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
