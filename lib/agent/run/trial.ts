import type { AgentSettings } from '../settings.ts';
import { type Confinement, confinementOf } from './apart/confine.ts';
import type { Guard } from './apart/network/guard.ts';
import { makeRunFolder } from './folder.ts';
import { run } from './process.ts';

interface Settings extends Pick<AgentSettings, 'folder' | 'user' | 'hiddenFiles' | 'environment'> {
  /** Undefined: runs have the network of the machine. */
  readonly guard: Guard | undefined;
}

const trialMs = 10_000;
const bytesMax = 1_048_576;

/**
 * How this machine confines runs: with isolation only if a command can be run so, and with a network for each run only if it works too.
 *
 * @throws Error without a shell
 */
export async function tryConfinement(settings: Settings, engines: readonly string[]): Promise<Confinement> {
  const confinement = await confinementOf({ ...settings, engines });
  const { isolation } = confinement;
  if (isolation === undefined || (await works(settings, confinement))) return confinement;
  const onMachine = { ...confinement, isolation: { ...isolation, network: undefined } };
  if (isolation.network !== undefined && (await works(settings, onMachine))) return onMachine;
  return { ...confinement, isolation: undefined };
}

async function works(settings: Settings, confinement: Confinement): Promise<boolean> {
  const { code } = await attempt(settings, confinement, [':']);
  return code === 0;
}

/** Prints the programs that it may not execute. */
const missing = 'for one in "$@"; do [ -x "$one" ] || echo "$one"; done';

/**
 * Tries whether runs can work as their user. @returns the engines that they may not execute @throws Error when they may not work in the folder of the
 * agent, or the agent may not choose their user
 */
export async function tryUser(settings: Settings, { sh }: Confinement, engines: readonly string[]) {
  const confinement = { sh, isolation: undefined };
  const { code, text } = await attempt(settings, confinement, [missing, 'sh', ...engines]).catch((cause: unknown) => {
    const why =
      'Only root, with the capabilities CHOWN, SETUID and SETGID, gives runs another user: see KEYFERRY_AGENT_USER.';
    throw new Error(why, { cause });
  });
  if (code === 0) return text.split('\n').filter((line) => line !== '');
  const who = `the user ${settings.user?.uid} of runs`;
  throw new Error(`${who} may not enter ${settings.folder}: choose another KEYFERRY_AGENT_DIR or KEYFERRY_AGENT_USER`);
}

async function attempt(settings: Settings, confinement: Confinement, script: readonly string[]) {
  const folder = await makeRunFolder(settings);
  let text = '';
  try {
    const never = new AbortController().signal;
    const { code } = await run(
      {
        words: [confinement.sh, '-c', ...script],
        folder: folder.configuration,
        environment: {},
        async output(piece) {
          text += piece.toString();
        },
        limitedFolder: folder.path,
      },
      {
        user: settings.user,
        confinement,
        runMsMax: trialMs,
        diskBytesMax: bytesMax,
        memoryBytesMax: Number.MAX_SAFE_INTEGER,
        processesMax: 1_024,
        graceMs: 0,
        signal: never,
        over: never,
      },
    );
    return { code, text };
  } finally {
    await folder.remove().catch(() => {});
  }
}
