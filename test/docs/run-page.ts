import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { loadFake } from '#destinations/load.ts';
import { startInstance } from '#infra/process/instance.ts';
import { startOpenIdProvider } from '../support/auth/openid-provider.ts';
import { startOrchestrator } from '../support/auth/orchestrator.ts';
import { compileCache } from '../support/measures/compile-cache.ts';
import { receiver } from '../support/servers/receiver.ts';
import { testDatabase, testRedis } from '../support/services.ts';
import type { ShellBlock } from './blocks.ts';

const rootToken = 'hvs.documentation';

/** What happened to the commands of a page. */
export interface PageRun {
  /** Of the shell: 0 when every command succeeded. */
  readonly code: number | null;
  /** Everything that was printed, and at the end the command that failed. */
  readonly output: string;
}

/**
 * Runs blocks in their order in one shell against their own development server. `KEYFERRY` is its address, `ROOT_TOKEN` its
 * root token, `A` and `H` what the README calls so. The working directory has `destination.json` for a stand-in of `cloud-a-sm`
 * and the key files that pages mention; `K8S_HOST`, `token`, `ca.crt` and `TOKEN_FILE` belong to a stand-in of an orchestrator, and
 * `OIDC_URL`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` and `oidc-ca.pem` to an OpenID provider; `RECEIVER` is that of a receiver of webhooks. A command fails the page when its
 * status is not 0, and curl when the server refuses.
 */
export async function runPage(blocks: readonly ShellBlock[]): Promise<PageRun> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-docs-'));
  const fake = await (await loadFake('cloud-a-sm'))();
  const cluster = await startOrchestrator();
  const provider = await startOpenIdProvider(['http://localhost:8250/oidc/callback']);
  const { url, prefix } = testRedis();
  const settings = {
    ...readConfig({}),
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
  };
  const options = { dataDir: join(folder, 'data'), port: 0, log: silentLog, rootToken, settings, report: () => {} };
  const instance = await startInstance(options);
  try {
    const work = join(folder, 'work');
    await mkdir(work);
    await writePrograms(join(folder, 'bin'));
    await writeFile(join(work, 'destination.json'), JSON.stringify(fake.destination));
    await writeKeys(work);
    const reviewer = await cluster.token('keyferry', 'keyferry');
    cluster.reviewers.add(reviewer);
    await writeFile(join(work, 'token'), reviewer);
    await writeFile(join(work, 'ca.crt'), cluster.certificate);
    await writeFile(join(work, 'oidc-ca.pem'), provider.certificate);
    await writeFile(join(work, 'pod-token'), await cluster.token('shop', 'web', { aud: ['keyferry'] }));
    return await shell(script(blocks), work, {
      KEYFERRY: instance.address,
      ROOT_TOKEN: rootToken,
      A: `${instance.address}/v1`,
      H: `X-Service-Token: ${rootToken}`,
      K8S_HOST: cluster.address,
      TOKEN_FILE: join(work, 'pod-token'),
      RECEIVER: (await receiver()).url,
      OIDC_URL: provider.address,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
    });
  } finally {
    await instance.close();
    await fake.close();
    cluster.close();
    provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A curl that fails when the server refuses and never waits for ever, our command line, an authenticator, and a browser that logs in. */
async function writePrograms(folder: string): Promise<void> {
  const authenticator = join(import.meta.dirname, 'oathtool.mjs');
  const browser = join(import.meta.dirname, 'log-in.ts');
  const commandLine = join(import.meta.dirname, '../../infra/commands/keyferry.ts');
  const variables = [
    `HOME='${folder}'`,
    ...Object.entries(compileCache()).map(([name, value]) => `${name}='${value}'`),
  ];
  const programs = {
    curl: 'exec "$CURL" --fail-with-body --silent --show-error --max-time 60 "$@"',
    // With a home of its own, so that a login does not change the token of the developer.
    keyferry: `${variables.join(' ')} exec '${process.execPath}' '${commandLine}' "$@"`,
    oathtool: `exec '${process.execPath}' '${authenticator}' "$@"`,
    'log-in': `exec '${process.execPath}' '${browser}' "$@"`,
  };
  await mkdir(folder);
  for (const [name, line] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** Key files of the kinds that pages about destinations name. */
async function writeKeys(folder: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const account = {
    type: 'service_account',
    project_id: 'documentation',
    private_key_id: '1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'keyferry@documentation.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  await writeFile(join(folder, 'app.pem'), pem);
  await writeFile(join(folder, 'key.json'), JSON.stringify(account));
}

/** The trap names the block and the command that failed. */
const prelude = `set -uo pipefail -eE
shopt -s inherit_errexit
export CURL=$(command -v curl) PATH=$PWD/../bin:$PATH
trap 'echo; echo "failed: $BLOCK: $BASH_COMMAND"' ERR
`;

const script = (blocks: readonly ShellBlock[]): string =>
  prelude + blocks.map(({ page, line, before, code }) => `BLOCK=${page}:${line}\n${before}\n${code}\necho\n`).join('');

function shell(text: string, cwd: string, environment: Readonly<Record<string, string>>): Promise<PageRun> {
  const { PATH, HOME } = process.env;
  const child = spawn('bash', ['-c', text], {
    cwd,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
