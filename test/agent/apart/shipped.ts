import { spawnSync } from 'node:child_process';

/** What the agent of the chart and of `docker-compose.yml` may do as root. */
export const capabilitiesOfAgent = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'];

const mapped = '0 0 65536';

/**
 * What starts a program as a container of the image does under the usual seccomp profile: root with some capabilities alone, which gets no others and cannot
 * make a user namespace.
 */
export function asInContainer(capabilities: readonly string[] = capabilitiesOfAgent): readonly string[] {
  const kept = capabilities.map((one) => `,+${one.toLowerCase()}`).join('');
  const limited = `
    echo 0 > /proc/sys/user/max_user_namespaces || exit 1
    exec setpriv --bounding-set=-all${kept} --inh-caps=-all --no-new-privs -- "$@"`;
  // The capabilities of the new namespace come with the start of a program, once its user is root there.
  const inside = `until [ "$(id -u)" = 0 ]; do sleep 0.05; done; exec /bin/sh -c '${limited}' sh "$@"`;
  const outside = `
    here=$(readlink /proc/$$/ns/user)
    (
      while [ "$(readlink /proc/$$/ns/user)" = "$here" ]; do sleep 0.05; done
      for map in uid_map gid_map; do echo ${mapped} > /proc/$$/$map; done
    ) > /dev/null &
    exec unshare --user -- /bin/sh -c "$0" sh "$@"`;
  return ['/bin/sh', '-c', outside, inside];
}

/** Whether this machine can start a program so: its user is root, and may limit itself. */
export const canBeContained = (): boolean => {
  if (process.getuid?.() !== 0) return false;
  const [program = '', ...words] = asInContainer();
  const script = 'unshare --user true 2> /dev/null || echo contained';
  return (
    spawnSync(program, [...words, '/bin/sh', '-c', script], { encoding: 'utf8', timeout: 30_000 }).stdout ===
    'contained\n'
  );
};
