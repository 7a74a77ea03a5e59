import { join } from 'node:path';
import { wholeContract } from '../contract.ts';
import { installPython, run } from '../install/install.ts';
import { startServer } from '../server.ts';
import type { Trial } from '../trials/trial.ts';

const packages = ['moto[kms,secretsmanager,sts,server]==5.2.5'];

/** https://docs.getmoto.org/en/latest/docs/server_mode.html */
export const moto: Trial = {
  name: 'moto server',
  covers:
    'the whole contract of a driver; at Secrets Manager also recovery window, replicas, KMS key, versions; STS AssumeRole; the seal by KMS',
  type: 'cloud-a-sm',
  suites: [...wholeContract, 'test/emulators/moto/moto.suite.ts', 'test/emulators/moto/kms.suite.ts'],
  gaps: [
    {
      test: / on (throttle|unavailable) as | the wait that the system asks for$| (met|meets) (throttle|unavailable)$/,
      reason: 'moto has no rate limits and is never out of order',
    },
    {
      test: / on (denied|credentials) as | not permitted | met (denied|credentials)$/,
      reason: 'moto checks neither signatures nor permissions',
    },
  ],
  allowed: [],
  async prepare(folder) {
    const programs = await installPython(join(folder, 'moto'), packages);
    const server = await startServer(join(programs, 'moto_server'), (port) => ['-H', '127.0.0.1', '-p', String(port)]);
    const version = await run(join(programs, 'python'), ['-c', 'import moto; print(moto.__version__)']);
    return {
      version: `moto ${version.trim()}`,
      given: { standIn: new URL('stand-in.ts', import.meta.url).href, emulator: server.url },
      close: server.close,
    };
  },
};
