#!/bin/sh
# Runs at every start of the machine. Only this server's own disk is formatted, and only if it is empty.
# While it is missing, the server's unit does not start, because it requires this mount.
set -eu
mkdir -p /var/lib/morty
grep -q ' /var/lib/morty ' /etc/fstab ||
  echo '/dev/disk/by-id/google-data /var/lib/morty ext4 defaults,noatime,nofail,x-systemd.makefs,x-systemd.device-timeout=5min 0 2' >>/etc/fstab
systemctl daemon-reload
systemctl start var-lib-morty.mount ||
  echo 'the data disk is not attached: attach it and run "systemctl start var-lib-morty.mount"' >&2
