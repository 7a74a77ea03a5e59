import { join } from 'node:path';
import { wholeContract } from '../contract.ts';
import { installGo } from '../install/install.ts';
import { startServer } from '../server.ts';
import type { Trial } from '../trials/trial.ts';

const version = 'v1.8.0';
const module = 'github.com/blackwell-systems/gcp-secret-manager-emulator';

/**
 * It serves gRPC and REST, which the driver uses. Trap: it listens on all addresses of the machine, and has no setting to change
 * that. https://github.com/blackwell-systems/gcp-secret-manager-emulator
 */
export const secretManagerEmulator: Trial = {
  name: 'gcp-secret-manager-emulator',
  covers: 'the whole contract of a driver; at Secret Manager also replication, labels of others, states of versions',
  type: 'cloud-c-sm',
  suites: [...wholeContract, 'test/emulators/secret-manager/secret-manager.suite.ts'],
  gaps: [
    {
      test: / on (throttle|unavailable) as | the wait that the system asks for$| (met|meets) (throttle|unavailable)$/,
      reason: 'the emulator has no rate limits and is never out of order',
    },
    {
      test: / on (denied|credentials) as | not permitted | met (denied|credentials)$/,
      reason: 'the emulator ignores tokens, and has no permissions without its IAM emulator',
    },
  ],
  adapted: ['an error answer gets the form of the service: the emulator leaves out `error` and the name of the code'],
  allowed: [],
  meanwhile: 'the discovery document as an oracle, and the contract suite against our stand-in',
  async prepare(folder) {
    const programs = await installGo(join(folder, 'secret-manager'), [`${module}/cmd/server-dual@${version}`]);
    const server = await startServer(join(programs, 'server-dual'), argumentsOf);
    return {
      version: `gcp-secret-manager-emulator ${version}`,
      given: { standIn: new URL('stand-in.ts', import.meta.url).href, emulator: server.url },
      close: server.close,
    };
  },
};

export const argumentsOf = (port: number, other: number): readonly string[] => [
  '--http-port',
  String(port),
  '--grpc-port',
  String(other),
];
