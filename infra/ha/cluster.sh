#!/bin/sh
# Creates one Redis Cluster from the named nodes, host:port each: half of them are replicas. Then introduces the nodes to each other
# again from time to time, as their addresses change when they restart.
set -eu
ready=${READY_FILE:-/tmp/ready}

addresses() {
  for node in "$@"; do
    address=$(getent hosts "${node%:*}" | head -n 1 | cut -d ' ' -f 1)
    if [ -n "$address" ]; then echo "$address:${node##*:}"; fi
  done
}

# The reply of the first node that is available.
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
