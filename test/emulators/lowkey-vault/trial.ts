import { join } from 'node:path';
import { wholeContract } from '../contract.ts';
import { installJar } from '../install/install.ts';
import { forward } from '../relay/forward.ts';
import { startServer } from '../server.ts';
import type { Trial } from '../trials/trial.ts';
import { certificateAt } from './certificate.ts';
import { requireJava } from './java.ts';

/** The version of the profile `emulators` in docker-compose.yml. */
const version = '7.1.61';
const javaFeatureMin = 25;

/** https://github.com/nagyesta/lowkey-vault */
export const lowkeyVault: Trial = {
  name: 'lowkey-vault',
  covers: 'the whole contract of a driver; at Key Vault also soft delete, recovery, purge, pages, challenge',
  type: 'cloud-b-kv',
  suites: [...wholeContract, 'test/emulators/lowkey-vault/lowkey-vault.suite.ts'],
  gaps: [
    {
      test: / on (throttle|unavailable) as | the wait that the system asks for$| (met|meets) (throttle|unavailable)$/,
      reason: 'lowkey-vault has no rate limits and is never out of order',
    },
    {
      test: / on (denied|credentials) as | not permitted | met (denied|credentials)$/,
      reason: 'lowkey-vault accepts every token, and has no permissions',
    },
    {
      test: / treats two names as one object exactly where the name rule does$/,
      reason: 'lowkey-vault does not ignore case in the name of a secret',
    },
    {
      test: / that is empty is kept$/,
      reason: 'lowkey-vault refuses a value without a visible character',
    },
  ],
  adapted: [
    'the API version is 7.6, the newest of lowkey-vault, instead of that of the SDK',
    'the 409 for a name that a deleted secret holds gets the code of the service, which lowkey-vault lacks',
    'the login is that of our stand-in: lowkey-vault issues tokens only to managed identities',
  ],
  allowed: [],
  meanwhile: 'the contract suite against our stand-in',
  async prepare(folder) {
    const java = await requireJava(javaFeatureMin, `lowkey-vault ${version}`);
    const coordinates = `com.github.nagyesta.lowkey-vault:lowkey-vault-app:${version}`;
    const jar = await installJar(join(folder, 'lowkey-vault'), coordinates);
    const server = await startServer('java', argumentsFor(jar), answersPing);
    const certificate = await certificateAt(server.port).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    const standIn = new URL('stand-in.ts', import.meta.url).href;
    return {
      version: `lowkey-vault ${version} on Java ${java}`,
      given: { standIn, emulator: `https://127.0.0.1:${server.port}`, certificate },
      close: server.close,
    };
  },
};

/** The other port is for its tokens of managed identities. `-` means no vaults but those that the stand-in creates. */
export const argumentsFor = (jar: string) => (port: number, other: number) => [
  '-jar',
  jar,
  '--server.address=127.0.0.1',
  `--server.port=${port}`,
  `--app.token.port=${other}`,
  '--LOWKEY_VAULT_NAMES=-',
];

async function answersPing(port: number): Promise<boolean> {
  const upstream = { url: `https://127.0.0.1:${port}`, certificate: await certificateAt(port) };
  const { status } = await forward(upstream, { method: 'GET', path: '/ping', headers: {}, body: '' });
  return status === 200;
}
