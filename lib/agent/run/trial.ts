import type { AgentSettings } from '../settings.ts';
import { type Confinement, confinementOf } from './apart/confine.ts';
import { makeRunFolder } from './folder.ts';
import { run } from './process.ts';

type Settings = Pick<AgentSettings, 'folder' | 'user' | 'hiddenFiles' | 'environment'>;

const trialMs = 10_000;
const bytesMax = 1_048_576;

/** How this machine confines runs: with isolation only if a command can be run so. @throws Error without a shell */
export async function tryConfinement(settings: Settings, engines: readonly string[]): Promise<Confinement> {
  const confinement = await confinementOf({ ...settings, engines });
  if (confinement.isolation === undefined || (await works(settings, confinement))) return confinement;
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
