#!/bin/sh
# Starts replay. Before that, where the container may write its cgroups (version 2), makes them usable: a group that holds
# processes cannot hand controllers down to others, and a container's root group holds all of them.
set -eu

cgroups=/sys/fs/cgroup
if [ -w "$cgroups/cgroup.subtree_control" ] && [ -w "$cgroups/cgroup.procs" ]; then
  mkdir -p "$cgroups/entrypoint"
  while read -r pid; do
    # A process may have ended since the list was read.
    echo "$pid" 2>/dev/null >"$cgroups/entrypoint/cgroup.procs" || true
  done <"$cgroups/cgroup.procs"
  for controller in cpuset memory; do
    # Whatever is missing, replay names in its result.
    echo "+$controller" 2>/dev/null >"$cgroups/cgroup.subtree_control" || true
  done
fi

exec replay "$@"
