# Sourced by the scripts here. Creates test machines on this machine. Each is a network namespace with
# an address in its region's subnet, in which a Debian runs with its own systemd and SSH daemon
# (systemd-nspawn on an overlay of one image). The namespace 'morty-try-wan' has a bridge for each region
# and routes between them; the playbooks run there. This machine's own network does not change.
# shellcheck shell=bash

readonly try_state=${MORTY_TRY_STATE:-/var/tmp/morty-try}
readonly image=$try_state/image
readonly wan=morty-try-wan
readonly ssh_key=$try_state/key
readonly regions=(us-east eu-west ap-south)

# One-way delay into each region, in milliseconds.
readonly delays=(8 10 15)
emulated=

say() { echo "try: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

require_host_tools() {
  [[ $(id -u) == 0 ]] || fail "this script creates network namespaces and machines in them: run it as root."
  local tool missing=()
  for tool in debootstrap systemd-nspawn ip tc sshd:openssh-server ssh ssh-keygen python3; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
  done
  [[ ${#missing[@]} == 0 ]] ||
    fail "these tools are missing: ${missing[*]}; on Debian: apt install debootstrap systemd-container iproute2 openssh-client openssh-server python3-venv"
}

# The base image of all machines: a minimal Debian, as in a cloud.
make_image() {
  [[ -e $image/.complete ]] && return
  say "creating the machines' image in $image, which takes a minute or two ..."
  rm -rf "$image"
  mkdir -p "$image"
  # shellcheck disable=SC2086  # MORTY_TRY_MIRROR may be empty
  debootstrap --variant=minbase \
    --include=systemd,systemd-sysv,dbus,openssh-server,python3-minimal,libpython3-stdlib,iproute2,sudo,procps \
    "${MORTY_TRY_SUITE:-bookworm}" "$image" ${MORTY_TRY_MIRROR:-} >"$try_state/image.log" 2>&1 ||
    fail "the image could not be created: see $try_state/image.log (MORTY_TRY_MIRROR names another mirror)"
  chroot "$image" useradd --create-home --shell /bin/bash admin
  echo 'admin ALL=(ALL) NOPASSWD: ALL' >"$image/etc/sudoers.d/admin"
  # No periodic jobs, which would disturb measurements, and no login console.
  chroot "$image" systemctl mask --quiet apt-daily.timer apt-daily-upgrade.timer \
    systemd-networkd-wait-online.service console-getty.service
  touch "$image/.complete"
}

make_key() {
  [[ -e $ssh_key ]] || ssh-keygen -q -t ed25519 -N '' -f "$ssh_key"
}

# The regions' networks, with delays between them if the kernel can emulate them.
net_up() {
  ip netns add "$wan"
  ip -n "$wan" link set lo up
  ip netns exec "$wan" sysctl -qw net.ipv4.ip_forward=1
  local i
  for i in "${!regions[@]}"; do
    ip -n "$wan" link add "br$i" type bridge
    ip -n "$wan" addr add "10.77.$i.1/24" dev "br$i"
    ip -n "$wan" link set "br$i" up
    ip netns exec "$wan" tc qdisc add dev "br$i" root netem delay "${delays[$i]}ms" limit 100000 2>/dev/null ||
      emulated=yes
  done
  [[ -z $emulated ]] || say "this kernel cannot delay packets (sch_netem); Morty emulates the delays instead"
}

# host_up NAME REGION-INDEX NUMBER: creates a machine, or starts one that is off.
host_up() {
  local name=$1 region=$2 number=$3
  local ns=morty-try-$name folder=$try_state/hosts/$name address=10.77.$region.$number
  if ! ip netns list | grep "^$ns\b" >/dev/null; then
    ip netns add "$ns"
    ip -n "$wan" link add "r${region}h$number" type veth peer name eth0 netns "$ns"
    ip -n "$wan" link set "r${region}h$number" master "br$region" up
    ip -n "$ns" link set lo up
    ip -n "$ns" addr add "$address/24" dev eth0
    ip -n "$ns" link set eth0 up
    ip -n "$ns" route add default via "10.77.$region.1"
  fi
  if [[ ! -d $folder ]]; then
    mkdir -p "$folder"/{upper,work,root}
    mkdir -p "$folder/upper/home/admin/.ssh" "$folder/upper/etc"
    cp "$ssh_key.pub" "$folder/upper/home/admin/.ssh/authorized_keys"
    chown -R "$(stat -c %u:%g "$image/home/admin")" "$folder/upper/home/admin"
    tr -d - </proc/sys/kernel/random/uuid >"$folder/upper/etc/machine-id"
    echo "$name" >"$folder/upper/etc/hostname"
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$name" >"$folder/upper/etc/hosts"
  fi
  mountpoint -q "$folder/root" || mount -t overlay "morty-try-$name" \
    -o "lowerdir=$image,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
  # Without systemd on this machine, there is no service to register with.
  local register=()
  [[ -d /run/systemd/system ]] || register=(--register=no --keep-unit)
  setsid systemd-nspawn --quiet --boot "${register[@]}" --machine="morty-try-$name" --hostname="$name" \
    --network-namespace-path="/run/netns/$ns" --resolv-conf=off --timezone=off --link-journal=no \
    --directory="$folder/root" </dev/null >"$folder/console.log" 2>&1 &
  echo $! >"$folder/pid"
}

# await_ssh ADDRESS
await_ssh() {
  local i
  for ((i = 0; i < 60; i++)); do
    if on "$1" true 2>/dev/null; then
      return
    fi
    sleep 1
  done
  fail "the machine at $1 does not answer; its console is in $try_state/hosts/*/console.log"
}

# on ADDRESS COMMAND...: runs a command there, as root.
on() {
  local address=$1
  shift
  # shellcheck disable=SC2029  # expanded here on purpose
  ip netns exec "$wan" ssh -i "$ssh_key" -o BatchMode=yes -o ConnectTimeout=5 -o LogLevel=ERROR \
    -o UserKnownHostsFile="$try_state/known_hosts" -o StrictHostKeyChecking=yes "admin@$address" \
    "sudo -n -- sh -c $(printf '%q' "$*")"
}

# host_off NAME: cuts the power of a machine.
host_off() {
  local pid inner
  pid=$(cat "$try_state/hosts/$1/pid")
  inner=$(init_of "$pid")
  [[ -n $inner ]] && kill -KILL "$inner"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
}

# The machine's first process. When it ends, all others end.
init_of() {
  local child
  for child in $(pgrep -P "$1" || true); do
    if [[ $(cat "/proc/$child/comm" 2>/dev/null) == systemd ]]; then
      echo "$child"
      return
    fi
    init_of "$child"
  done
}

hosts_down() {
  local folder pid inner
  for folder in "$try_state"/hosts/*/; do
    [[ -e $folder/pid ]] || continue
    pid=$(cat "$folder/pid")
    # Only if it is still our process.
    if grep -qsz "morty-try-$(basename "$folder")" "/proc/$pid/cmdline"; then
      inner=$(init_of "$pid")
      [[ -z $inner ]] || kill -KILL "$inner" 2>/dev/null || true
      for _ in {1..50}; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.2
      done
      kill -KILL "$pid" 2>/dev/null || true
    fi
    for _ in {1..20}; do
      mountpoint -q "$folder/root" || break
      umount "$folder/root" 2>/dev/null || sleep 0.5
    done
  done
  local ns
  for ns in $(ip netns list | grep -o '^morty-try-[^ ]*' || true); do
    ip netns del "$ns"
  done
  rm -rf --one-file-system "$try_state/hosts"
}
