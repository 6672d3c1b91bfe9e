#!/usr/bin/env bash
# Tries agents on three hosts, all on this machine: network namespaces with an address each, and delays
# between them by the kernel, or by Morty if the kernel cannot delay packets. Runs a checked load on
# all of them; kills an agent in the middle of a second run, which is then made again; interrupts an
# experiment, continues it, and kills an agent in its middle; lets a clock be ahead, which the program
# faketime does if it is installed; and lets a last run fill a small disk. Run it as root:
#
#   deploy/try/agents.sh         about five minutes; removes the namespaces at the end
#
#   MORTY  the command line (default: bin/morty of this checkout)
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly morty=${MORTY:-$here/../../bin/morty}
readonly regions=(us-east eu-west ap-south) delays=(8 10 15) wan=morty-agents-wan
readonly run=(bench smallbank --accounts 1000 --hotspot 100 --clients 24 --client-regions 3
  --server-jvm "-Xmx256m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders" --warmup 3)
state=$(mktemp -d)
emulated=()
declare -A agents

say() { echo "agents: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

[[ $(id -u) == 0 ]] || fail "this script creates network namespaces: run it as root."

# shellcheck disable=SC2317  # called by the trap
ended() {
  local code=$? i
  for i in "${!agents[@]}"; do
    kill "${agents[$i]}" 2>/dev/null || true
  done
  wait
  for i in "${!regions[@]}"; do
    ip netns del "morty-agents-$i" 2>/dev/null || true
    umount "$state/$i/small" 2>/dev/null || true
  done
  ip netns del "$wan" 2>/dev/null || true
  rm -rf --one-file-system "$state"
  exit "$code"
}
trap ended EXIT

networks_up() {
  ip netns add "$wan"
  ip -n "$wan" link set lo up
  ip -n "$wan" link add br0 type bridge
  ip -n "$wan" addr add 10.78.0.1/24 dev br0
  ip -n "$wan" link set br0 up
  local i
  for i in "${!regions[@]}"; do
    ip netns add "morty-agents-$i"
    ip -n "$wan" link add "host$i" type veth peer name eth0 netns "morty-agents-$i"
    ip -n "$wan" link set "host$i" master br0 up
    ip -n "morty-agents-$i" link set lo up
    ip -n "morty-agents-$i" addr add "10.78.0.1$i/24" dev eth0
    ip -n "morty-agents-$i" link set eth0 up
    # What leaves towards a host is delayed.
    ip netns exec "$wan" tc qdisc add dev "host$i" root netem delay "${delays[$i]}ms" limit 100000 2>/dev/null ||
      emulated=(--delay 10)
  done
  if [[ ${#emulated[@]} -gt 0 ]]; then
    say "this kernel cannot delay packets (sch_netem); Morty emulates 10 ms between regions instead"
  fi
}

# agent_up INDEX FOLDER GIB [COMMAND...]: starts an agent, by a command before its own if there is one,
# and waits until it is ready.
agent_up() {
  local name=${regions[$1]} log=$state/$1/agent.log
  : >"$log"
  ip netns exec "morty-agents-$1" "${@:4}" "$morty" agent --name "$name" --listen "10.78.0.1$1:7500" \
    --certs "$state/certs" --folder "$2" --disk "$3" >"$log" 2>&1 &
  agents[$1]=$!
  for _ in {1..120}; do
    grep -q '^ready: agent' "$log" && return
    kill -0 "${agents[$1]}" 2>/dev/null || break
    sleep 0.5
  done
  cat "$log" >&2
  fail "the agent $name did not start"
}

controller() { ip netns exec "$wan" "$morty" "${run[@]}" "${emulated[@]}" --agents "$state/agents.yaml" "$@"; }

"$morty" certs --out "$state/certs" --cluster experiments \
  --servers "$(IFS=,; echo "${regions[*]}")" --clients controller >/dev/null
networks_up
{
  echo "certificates: certs"
  echo "clientJvm: -Xmx256m -XX:+UseSerialGC"
  echo "roundTripMillis: 25"
  echo "agents:"
  for i in "${!regions[@]}"; do
    echo "  - {name: ${regions[$i]}, region: ${regions[$i]}, address: '10.78.0.1$i:7500', server: '10.78.0.1$i:7600'}"
  done
} >"$state/agents.yaml"
for i in "${!regions[@]}"; do
  mkdir -p "$state/$i/runs" "$state/$i/small"
  agent_up "$i" "$state/$i/runs" 1
done

say "--- a run on three hosts"
controller --seconds 10

say "--- an agent is killed in the middle of a run"
controller --seconds 60 >"$state/killed.txt" 2>&1 &
killed=$!
for _ in {1..240}; do
  grep -q '^measure' "$state/killed.txt" && break
  sleep 0.5
done
kill -KILL "${agents[1]}"
code=0
wait "$killed" || code=$?
grep "has ended during the run" "$state/killed.txt" || fail "the run did not notice; see above"
[[ $code == 3 ]] || fail "the run ended with exit code $code, not 3"
agent_up 1 "$state/1/runs" 1
controller --seconds 2 >/dev/null 2>&1 || fail "the run after it failed"
say "the next run on the same hosts went well"

say "--- an experiment is interrupted, continues, and loses an agent in the middle"
{
  echo "name: tiny"
  echo "title: Three systems on hosts"
  echo "warmup: 3"
  echo "seconds: 8"
  echo "points:"
  echo "  way: deployed"
  echo "  system: [morty, mvtso, occ]"
  echo "  workload: {name: smallbank, accounts: 1000, hotspot: 100}"
  echo "  clients: 24"
  echo "  clientRegions: 3"
  echo "  serverJvm: -Xmx256m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
  [[ ${#emulated[@]} -eq 0 ]] || echo "  delayMillis: ${emulated[1]}"
} >"$state/tiny.yaml"
# experiment_up LOG: starts or continues the experiment.
experiment_up() {
  ip netns exec "$wan" "$morty" experiment "$state/tiny.yaml" --agents "$state/agents.yaml" \
    --out "$state/results" >"$1" 2>&1 &
  experiment=$!
}
experiment_up "$state/first.txt"
for _ in {1..240}; do
  compgen -G "$state/results/*.json" >/dev/null && break
  sleep 0.5
done
kill "$experiment"
wait "$experiment" || true
experiment_up "$state/second.txt"
for _ in {1..240}; do
  grep -q measure "$state/second.txt" && break
  sleep 0.5
done
kill -KILL "${agents[1]}"
wait "${agents[1]}" || true
agent_up 1 "$state/1/runs" 1
code=0
wait "$experiment" || code=$?
tail -n 12 "$state/second.txt"
[[ $code == 0 ]] || fail "the experiment ended with exit code $code"
grep -q "2 points measured, 1 measured before, 0 failed" "$state/second.txt" ||
  fail "the experiment did not continue where it was interrupted"
grep -lq '"attempts"' "$state"/results/*.json || fail "no point was tried again"

agent_down() {
  kill "${agents[$1]}"
  wait "${agents[$1]}" || true
}

say "--- the clock of a host is two seconds ahead"
if command -v faketime >/dev/null; then
  agent_down 1
  agent_up 1 "$state/1/runs" 1 faketime --exclude-monotonic -f +2s
  code=0
  controller --seconds 2 >"$state/ahead.txt" 2>&1 || code=$?
  grep "the clock of agent 'eu-west'" "$state/ahead.txt" || {
    cat "$state/ahead.txt" >&2
    fail "the run did not say whose clock is ahead"
  }
  [[ $code == 3 ]] || fail "the run ended with exit code $code, not 3"
  agent_down 1
  agent_up 1 "$state/1/runs" 1
  controller --seconds 2 >/dev/null 2>&1 || fail "the run after it failed"
else
  say "not tried: faketime is not installed"
fi

say "--- a run fills a small disk"
agent_down 2
mount -t tmpfs -o size=2m morty-agents "$state/2/small"
agent_up 2 "$state/2/small" 0.001
code=0
controller --seconds 120 >"$state/full.txt" 2>&1 || code=$?
grep -- "agent 'ap-south'" "$state/full.txt" || fail "the run did not say which host is full"
[[ $code == 3 ]] || fail "the run ended with exit code $code, not 3"
say "all went well"
