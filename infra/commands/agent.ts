import { readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { runAgent } from '#agent/agent.ts';
import type { AgentSettings } from '#agent/settings.ts';
import { type Config, readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { Secret } from '#core/secret.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { endProcess } from '../process/end.ts';
import { explain } from '../process/explain.ts';

/**
 * `npm run agent`: takes plans and applies of an agent pool and runs the engine of this machine. The first signal lets the job in progress end, the
 * second interrupts it.
 */
const [stopping, interruption] = [new AbortController(), new AbortController()];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) interruption.abort();
    stopping.abort();
  });

function settingsOf(config: Config): AgentSettings {
  const { KEYFERRY_AGENT_ADDRESS: address, KEYFERRY_AGENT_USER: user } = config;
  if (address === undefined) throw new Error('KEYFERRY_AGENT_ADDRESS is required: the address of the server');
  const [uid, gid] = user?.split(':').map(Number) ?? [];
  return {
    address: address.href.replace(/\/$/, ''),
    token: tokenOf(config),
    name: config.KEYFERRY_AGENT_NAME ?? hostname(),
    version: packageFile.version,
    engines: config.KEYFERRY_AGENT_ENGINES,
    folder: config.KEYFERRY_AGENT_DIR ?? tmpdir(),
    user: uid === undefined || gid === undefined ? undefined : { uid, gid },
    isolation: config.KEYFERRY_AGENT_ISOLATION,
    runMsMax: config.KEYFERRY_AGENT_RUN_MS_MAX,
    diskBytesMax: config.KEYFERRY_AGENT_DISK_BYTES_MAX,
    graceMs: config.KEYFERRY_AGENT_GRACE_MS,
    environment: process.env,
  };
}

function tokenOf({ KEYFERRY_AGENT_TOKEN: text, KEYFERRY_AGENT_TOKEN_FILE: file }: Config): Secret {
  if (text !== undefined) return new Secret(text);
  if (file !== undefined) return new Secret(readFileSync(file, 'utf8').trim());
  throw new Error('KEYFERRY_AGENT_TOKEN or KEYFERRY_AGENT_TOKEN_FILE is required: the token of an agent pool');
}

try {
  const config = readConfig();
  await runAgent({
    settings: settingsOf(config),
    log: openLog(config),
    stopping: stopping.signal,
    interruption: interruption.signal,
    onReady: () => process.stdout.write('ready agent\n'),
  });
  await endProcess(0);
} catch (error) {
  process.stderr.write(`keyferry: ${explain(error)}\n`);
  await endProcess(1);
}
