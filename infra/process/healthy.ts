import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { connect, type NetConnectOpts } from 'node:net';
import { answerIn } from '#agent/health.ts';
import { readConfig } from '#core/config.ts';
import type { DatabaseHost } from '#core/settings/database/address.ts';
import { parseDatabaseUrl } from '#core/settings/database/parse.ts';
import { parseRedisUrl } from '#core/settings/redis-url.ts';
import { hasTls, hostToAsk } from './address.ts';

/**
 * The health check of a container: exits with 0 if its process can work.
 *
 * - `api`: the API answers, also while sealed or not initialised, since people need its paths to change that
 * - `agent`: the server has answered it lately
 * - `ground`: PostgreSQL and Redis can be reached; for processes without a port
 */
const limitMs = 4_000;

const config = readConfig();
const checks = { api: () => answers(config.PORT), agent: () => agent(config.KEYFERRY_AGENT_HEALTH_FILE), ground };
const what = process.argv[2];
const healthy = what === 'ground' || what === 'agent' ? checks[what]() : checks.api();
process.exit((await healthy) ? 0 : 1);

async function agent(file: string | undefined): Promise<boolean> {
  const said = file === undefined ? undefined : await answerIn(file);
  // Container runtimes show what a health check prints.
  if (said !== undefined) process.stdout.write(said);
  return said !== undefined;
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // Instead of 501 and 503: this check counts both as an answer.
  const path = '/v1/sys/health?sealedcode=200&uninitcode=200';
  const call = { host: hostToAsk(config.KEYFERRY_HOST), port, path, signal: AbortSignal.timeout(limitMs) };
  // The certificate names the host that clients use, not this address; the call stays on the machine.
  const secured = () => getSecurely({ ...call, rejectUnauthorized: false });
  const request = hasTls(config) ? secured() : get(call);
  request.once('response', ({ statusCode }) => resolve(statusCode === 200)).once('error', () => resolve(false));
  return promise.finally(() => request.destroy());
}

async function ground(): Promise<boolean> {
  const { DATABASE_URL: database, REDIS_URL: redis } = config;
  if (database === undefined || redis === undefined) return false;
  const found = await Promise.all([
    oneListens(parseDatabaseUrl(database).hosts.map(toTarget)),
    oneListens(parseRedisUrl(redis)?.hosts ?? []),
  ]);
  return found.every(Boolean);
}

function toTarget({ host, port }: DatabaseHost): NetConnectOpts {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** One of several servers must be reachable; the process itself detects which of them it may use. */
async function oneListens(targets: readonly NetConnectOpts[]): Promise<boolean> {
  return (await Promise.all(targets.map(listens))).some(Boolean);
}

function listens(target: NetConnectOpts): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(target);
  socket.setTimeout(limitMs, () => resolve(false));
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
