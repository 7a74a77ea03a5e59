import type { Log } from '#core/log/log.ts';
import type { Engine } from './engine/find.ts';
import type { Protection } from './health.ts';
import { type Confinement, confinementOf } from './run/apart/confine.ts';
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
  const settings = { ...given, user: await userOfRun(given) };
  if (haveOtherUser(given)) await closeToRuns(given.folder);
  const confinement = await meansOf(settings, programs);
  if (haveOtherUser(given)) {
    const unusable = await tryUser(settings, confinement, programs);
    if (unusable.length > 0) log.warn({ engines: unusable }, 'runs may not execute these engines');
  }
  const protection = protectionBy(given, confinement);
  if (protection !== 'isolation') log.warn({}, warnings[protection]);
  return confinement;
}

async function meansOf(settings: AgentSettings, programs: readonly string[]): Promise<Confinement> {
  if (settings.isolation === 'none')
    return { ...(await confinementOf({ ...settings, engines: programs })), isolation: undefined };
  const confinement = await tryConfinement(settings, programs);
  if (confinement.isolation === undefined && settings.isolation === 'required')
    throw new Error(
      'runs cannot be isolated: unshare, setpriv, mount and prlimit of util-linux, with user namespaces, do not work on this machine',
    );
  return confinement;
}

/** What keeps runs from the agent and from each other. */
export function protectionBy(settings: AgentSettings, { isolation }: Confinement): Protection {
  if (isolation !== undefined) return 'isolation';
  return haveOtherUser(settings) ? 'users' : 'none';
}

const warnings = {
  users:
    'runs are not isolated: they have users of their own, and see the processes of this machine and its shared folders',
  none: "runs are not isolated: they see the agent's environment, its token, the processes of this machine, and the folders of other runs of the same user",
} as const;
