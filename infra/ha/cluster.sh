#!/bin/sh
# Makes one Redis Cluster of the nodes that are named, host:port each: half of them with a replica each. Then lets the nodes meet again
# from time to time, as their addresses change when they are started again.
set -eu
ready=${READY_FILE:-/tmp/ready}

addresses() {
  for node in "$@"; do
    address=$(getent hosts "${node%:*}" | head -n 1 | cut -d ' ' -f 1)
    if [ -n "$address" ]; then echo "$address:${node##*:}"; fi
  done
}

# The answer of the first node that is there.
ask() {
  for node in $nodes; do
    if redis-cli -h "${node%:*}" -p "${node##*:}" "$@" 2>/dev/null; then return; fi
  done
}

nodes="$*"
if [ "$(ask cluster info | tr -d '\r' | sed -n 's/^cluster_slots_assigned://p')" != 16384 ]; then
  # One word for each address.
  # shellcheck disable=SC2046
  redis-cli --cluster create $(addresses "$@") --cluster-replicas 1 --cluster-yes
fi
while :; do
  for address in $(addresses "$@"); do ask cluster meet "${address%:*}" "${address##*:}" >/dev/null; done
  if ask cluster info | grep -q '^cluster_state:ok'; then : >"$ready"; else rm -f "$ready"; fi
  sleep 5
done
