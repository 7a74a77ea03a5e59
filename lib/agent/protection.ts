import type { Log } from '#core/log/log.ts';
import type { Engine } from './engine/find.ts';
import type { Protection } from './health.ts';
import { type Confinement, confinementOf } from './run/apart/confine.ts';
import { type Guard, guardOf } from './run/apart/network/guard.ts';
import { closeToRuns } from './run/folder.ts';
import { tryConfinement, tryUser } from './run/trial.ts';
import { haveOtherUser, userOfRun } from './run/users.ts';
import type { AgentSettings } from './settings.ts';

/**
 * How the commands of runs are confined on this machine. Says in the log what runs see if they are not isolated.
 *
 * @throws Error when runs cannot be isolated although they must be, or cannot have their user
 */
export async function protectionFor(given: AgentSettings, engines: readonly Engine[], log: Log): Promise<Confinement> {
  const programs = engines.map(({ program }) => program);
  const guard = given.isolation !== 'none' && given.network === 'guarded' ? guardOf(given) : undefined;
  const settings = { ...given, user: await userOfRun(given), guard };
  if (haveOtherUser(given)) await closeToRuns(given.folder);
  const confinement = await meansOf(settings, programs);
  if (haveOtherUser(given)) {
    const unusable = await tryUser(settings, confinement, programs);
    if (unusable.length > 0) log.warn({ engines: unusable }, 'runs may not execute these engines');
  }
  const protection = protectionBy(given, confinement);
  if (protection !== 'isolation') log.warn({}, warnings[protection]);
  else if (guard !== undefined && !hasNetwork(confinement)) log.warn({}, notGuarded);
  return confinement;
}

interface Means extends AgentSettings {
  readonly guard: Guard | undefined;
}

async function meansOf(settings: Means, programs: readonly string[]): Promise<Confinement> {
  if (settings.isolation === 'none')
    return { ...(await confinementOf({ ...settings, engines: programs })), isolation: undefined };
  const confinement = await tryConfinement(settings, programs);
  if (settings.isolation !== 'required') return confinement;
  if (confinement.isolation === undefined)
    throw new Error(
      'runs cannot be isolated: unshare, setpriv, mount and prlimit of util-linux, with user namespaces, do not work on this machine',
    );
  if (settings.guard !== undefined && !hasNetwork(confinement)) throw new Error(notGuarded);
  return confinement;
}

/** Whether runs have a network of their own. */
export const hasNetwork = ({ isolation }: Confinement): boolean => isolation?.network !== undefined;

/** What keeps runs from the agent and from each other. */
export function protectionBy(settings: AgentSettings, { isolation }: Confinement): Protection {
  if (isolation !== undefined) return 'isolation';
  return haveOtherUser(settings) ? 'users' : 'none';
}

const warnings = {
  users:
    'runs are not isolated: they have users of their own, and see the processes of this machine, its shared folders and its network',
  none: "runs are not isolated: they see the agent's environment, its token, the processes of this machine, its network, and the folders of other runs of the same user",
} as const;

const notGuarded = `the network of runs is that of this machine, with the addresses of its metadata service and of its own programs: a network of their own \
needs unshare --net, ip or perl to bring up its loopback interface, and a program node that the user of runs may execute; \
KEYFERRY_AGENT_NETWORK=open accepts this`;
