import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { connect } from 'node:net';
import { readConfig } from '../../lib/core/config.ts';
import { hasTls, hostToAsk } from './address.ts';

/**
 * The health check of a container: ends with 0 when its process can work.
 *
 * - `api`: it answers where it listens, sealed or not yet initialised included, since somebody has to be able to do that by its paths
 * - `ground`: PostgreSQL and Redis can be reached; for processes without a port
 */
const limitMs = 4_000;
const usualPorts: Readonly<Record<string, number>> = { 'postgres:': 5_432, 'postgresql:': 5_432 };
const redisPort = 6_379;

const config = readConfig();
const checks = { api: () => answers(config.PORT), ground: () => reachable([config.DATABASE_URL, config.REDIS_URL]) };
const healthy = process.argv[2] === 'ground' ? checks.ground() : checks.api();
process.exit((await healthy) ? 0 : 1);

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // In place of 501 and 503, which a client of this check takes for an answer too.
  const path = '/v1/sys/health?sealedcode=200&uninitcode=200';
  const call = { host: hostToAsk(config.KEYFERRY_HOST), port, path, signal: AbortSignal.timeout(limitMs) };
  // The certificate is made out to the name that clients use, not to this address; the call stays on the machine.
  const secured = () => getSecurely({ ...call, rejectUnauthorized: false });
  const request = hasTls(config) ? secured() : get(call);
  request.once('response', ({ statusCode }) => resolve(statusCode === 200)).once('error', () => resolve(false));
  return promise.finally(() => request.destroy());
}

async function reachable(urls: readonly (string | undefined)[]): Promise<boolean> {
  const found = await Promise.all(urls.map((url) => url !== undefined && listens(new URL(url))));
  return found.every(Boolean);
}

function listens({ protocol, hostname, port }: URL): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: port === '' ? (usualPorts[protocol] ?? redisPort) : Number(port) });
  socket.setTimeout(limitMs, () => resolve(false));
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
