import type { Log } from '#core/log/log.ts';
import type { Engine } from './engine/find.ts';
import { type Confinement, confinementOf } from './run/apart/confine.ts';
import { guardOf } from './run/apart/network/guard.ts';
import { tryConfinement } from './run/trial.ts';
import type { AgentSettings } from './settings.ts';

/** How runs of this agent are confined. @throws Error when the machine cannot do what the settings require */
export async function confinementFor(
  settings: AgentSettings,
  engines: readonly Engine[],
  log: Log,
): Promise<Confinement> {
  const programs = engines.map(({ program }) => program);
  if (settings.isolation === 'none') {
    log.warn({}, notIsolated);
    return { ...(await confinementOf({ ...settings, engines: programs, guard: undefined })), isolation: undefined };
  }
  const guard = settings.network === 'guarded' ? guardOf(settings) : undefined;
  const confinement = await tryConfinement({ ...settings, guard }, programs);
  const { isolation } = confinement;
  const isRequired = settings.isolation === 'required';
  if (isolation === undefined) {
    if (isRequired) throw new Error(cannotIsolate);
    log.warn({}, notIsolated);
  } else if (guard !== undefined && isolation.network === undefined) {
    if (isRequired) throw new Error(`${notGuarded}: ${cannotGuard}`);
    log.warn({}, `${notGuarded}: ${cannotGuard}`);
  }
  return confinement;
}

const cannotIsolate =
  'runs cannot be isolated: unshare, setpriv, mount and prlimit of util-linux, with user namespaces, do not work on this machine';
const notIsolated =
  "runs are not isolated: they see the processes of this machine, the agent's environment among them, the folders of other runs of the same user, and its network";
const notGuarded =
  'the network of runs is that of this machine, with the addresses of its metadata service and of its own programs';
const cannotGuard =
  'a network of their own needs unshare --net, ip or perl to bring up its loopback interface, and a program node that the user of runs may execute; KEYFERRY_AGENT_NETWORK=open accepts this';
