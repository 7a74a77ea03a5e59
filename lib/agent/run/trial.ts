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
  const folder = await makeRunFolder(settings);
  try {
    const never = new AbortController().signal;
    const { code } = await run(
      {
        words: [confinement.sh, '-c', ':'],
        folder: folder.configuration,
        environment: {},
        output: async () => {},
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
    return code === 0;
  } finally {
    await folder.remove().catch(() => {});
  }
}
