#!/usr/bin/env bash
# Makes hosts for Jepsen on this Linux machine: network namespaces with an SSH daemon each, and with
# processes, a network stack, /tmp, /run and /opt/jepsen-morty of their own. Needs root.
#
#   hosts.sh up [NUMBER]   makes hosts n1, n2 ... (3), and places c1, c2 ... for clients
#   hosts.sh options       prints the options that 'lein run test' needs for them
#   hosts.sh down          removes everything that 'up' made
#
# 'up' adds the hosts' names to /etc/hosts, in lines that end with '# jepsen-hosts'.
# JEPSEN_HOSTS_DIR is the folder for files and keys: /var/tmp/jepsen-hosts.
# JEPSEN_HOSTS_NET is the start of all addresses: 10.77.0.
set -euo pipefail

readonly dir=${JEPSEN_HOSTS_DIR:-/var/tmp/jepsen-hosts} net=${JEPSEN_HOSTS_NET:-10.77.0}
readonly bridge=jepsen mark='# jepsen-hosts' key=$dir/id_ed25519

fail() {
  echo "hosts.sh: $*" >&2
  exit 1
}

need() {
  local program package
  for pair in ip:iproute2 iptables:iptables sshd:openssh-server ssh-keygen:openssh-client \
    sudo:sudo unshare:util-linux start-stop-daemon:dpkg; do
    program=${pair%:*} package=${pair#*:}
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null ||
      fail "$program is missing. On Debian: apt install $package"
  done
  [[ $(id -u) == 0 ]] || fail "needs root: run it with sudo"
}

# Makes the namespace $1 with the address $2, connected to the bridge.
namespace() {
  ip netns add "$1"
  ip link add "j-$1" type veth peer name eth0 netns "$1"
  ip link set "j-$1" master "$bridge" up
  ip -n "$1" addr add "$2/24" dev eth0
  ip -n "$1" link set eth0 up
  ip -n "$1" link set lo up
}

# Starts the SSH daemon of host $1 as the first process of its own process namespace.
host() {
  local own=$dir/$1
  mkdir -p "$own/tmp" "$own/morty"
  chmod 1777 "$own/tmp"
  ssh-keygen -q -t ed25519 -N '' -f "$own/host_key"
  cat >"$own/sshd_config" <<END
HostKey $own/host_key
AuthorizedKeysFile $key.pub
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
Subsystem sftp internal-sftp
MaxStartups 100
MaxSessions 100
PidFile none
END
  # shellcheck disable=SC2016  # expanded by the inner shell
  ip netns exec "$1" setsid unshare --mount --uts --pid --fork --mount-proc --kill-child \
    bash -c '
      hostname "$1"
      mount --make-rprivate /
      mkdir -p /opt/jepsen-morty
      mount --bind "$2/morty" /opt/jepsen-morty
      mount -t tmpfs -o mode=755 tmpfs /run
      mkdir -p /run/sshd /run/lock
      mount --bind "$2/tmp" /tmp
      exec "$(PATH=$PATH:/usr/sbin command -v sshd)" -D -e -f "$2/sshd_config"
    ' host "$1" "$own" </dev/null >"$own/sshd.log" 2>&1 &
  echo $! >"$own/pid"
}

up() {
  local number=${1:-3} i
  [[ $number =~ ^[1-9][0-9]?$ ]] || fail "the number of hosts must be 1 to 99, and is: $number"
  need
  # Each host has a /tmp of its own, which would hide the files.
  [[ $(realpath -m "$dir") != /tmp/* ]] || fail "JEPSEN_HOSTS_DIR must not be in /tmp, and is: $dir"
  [[ ! -e $dir ]] || fail "$dir exists: run 'hosts.sh down' first"
  mkdir -p "$dir"
  ssh-keygen -q -t ed25519 -N '' -f "$key"
  ip link add "$bridge" type bridge
  ip addr add "$net.254/24" dev "$bridge"
  ip link set "$bridge" up
  for ((i = 1; i <= number; i++)); do
    echo "$net.$i n$i $mark" >>/etc/hosts
    namespace "n$i" "$net.$i"
    namespace "c$i" "$net.$((100 + i))"
    host "n$i"
  done
  echo "$number" >"$dir/number"
  for ((i = 1; i <= number; i++)); do
    for ((try = 0; ; try++)); do
      ssh -q -i "$key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 \
        "root@n$i" true && break
      ((try < 20)) || fail "the host n$i does not answer; see $dir/n$i/sshd.log"
      sleep 0.5
    done
  done
  options
}

# Prints names with a common first letter, separated by commas.
names() {
  seq -f "$1%g" -s, "$(<"$dir/number")"
}

options() {
  [[ -r $dir/number ]] || fail "there are no hosts: run 'hosts.sh up' first"
  echo "--nodes $(names n) --client-namespaces $(names c) --username root --ssh-private-key $key"
}

down() {
  need
  local file name
  for file in "$dir"/n*/pid; do
    [[ -e $file ]] && kill -KILL "$(<"$file")" 2>/dev/null || true
  done
  for name in $(ip -o link show master "$bridge" 2>/dev/null | sed -n 's/.*: j-\([^@]*\)@.*/\1/p'); do
    ip netns del "$name"
  done
  ip link del "$bridge" 2>/dev/null || true
  # The file may be a mount, which cannot be replaced.
  grep -v "$mark\$" /etc/hosts >"$dir.hosts" || true
  cat "$dir.hosts" >/etc/hosts
  rm -rf "$dir" "$dir.hosts"
}

case ${1:-} in
  up | down | options) "$@" ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
esac
