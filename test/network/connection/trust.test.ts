import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { trust } from '#network/connection/trust.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { listen, secure } from '../servers.ts';

test('clients that trust the same certificates share a secure context, and others do not', async () => {
  const [{ cert }, other] = [await secure('one'), await secure('other')];
  const context = trust({ ...strictPolicy, caCertificates: cert });
  expect(trust({ ...strictPolicy, caCertificates: `${cert}` })).toBe(context);
  expect(trust({ ...strictPolicy, caCertificates: other.cert })).not.toBe(context);
  expect(trust(strictPolicy)).toBeUndefined();
});

/** Prints the answer to a request when a certificate is trusted in addition to those of Node. */
const program = `
  import https from 'node:https';
  import { strictPolicy } from './lib/network/policy.ts';
  import { trust } from './lib/network/connection/trust.ts';
  const [url, certificate] = process.argv.slice(1);
  const asked = (secureContext) => new Promise((resolve) => {
    const agent = new https.Agent({ secureContext });
    https.get(url, { agent }, (answer) => answer.on('data', (text) => resolve(String(text)))).on('error', ({ code }) => resolve(code));
  });
  const beside = trust({ ...strictPolicy, caCertificates: certificate });
  const only = trust({ ...strictPolicy, caCertificates: certificate, caCertificatesOnly: true });
  process.stdout.write(JSON.stringify(await Promise.all([asked(beside), asked(undefined), asked(only)])));
  process.exit(0);
`;

test('the certificates of Node stay trusted, and added ones apply only to their clients, exclusively if requested', async () => {
  // OpenSSL tries only one of two trusted certificates with the same name.
  const [known, added] = [await secure('known', 'known'), await secure('added', 'added')];
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-trust-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'known.pem'), known.cert);
  const ask = async (server: typeof known) => {
    const url = `https://localhost:${await listen(server.server)}/`;
    const args = ['--input-type=module-typescript', '--eval', program, url, added.cert];
    const options = {
      cwd: new URL('../../..', import.meta.url).pathname,
      env: { NODE_EXTRA_CA_CERTS: join(folder, 'known.pem') },
    };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return JSON.parse(stdout);
  };
  expect(await ask(known)).toEqual(['known', 'known', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  expect(await ask(added)).toEqual(['added', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'added']);
});
