import type { DatabaseHost } from './address.ts';
import { DatabaseUrlError, formRule } from './error.ts';
import { decoded, type Parameters } from './parameters.ts';

const usualHost = 'localhost';
const usualPort = 5_432;
const hostsMax = 16;

/** The hosts between `@` and the database, unless the parameters `host` and `port` override them. */
export function hostsOf(text: string, parameters: Parameters): readonly DatabaseHost[] {
  const listed = text === '' ? [] : text.split(',').map(hostAndPort);
  const names = parameters.take('host')?.split(',') ?? listed.map(({ host }) => host);
  const ports = parameters.take('port')?.split(',') ?? listed.map(({ port }) => port);
  const count = Math.max(names.length, 1);
  if (count > hostsMax) throw new DatabaseUrlError(`has more than ${hostsMax} hosts`);
  if (ports.length > 1 && ports.length !== count) {
    throw new DatabaseUrlError('has different numbers of ports and hosts');
  }
  const portAt = (index: number) => (ports.length === 1 ? ports[0] : ports[index]) ?? '';
  return Array.from({ length: count }, (_, index) => ({
    host: names[index] || usualHost,
    port: portOf(portAt(index)),
  }));
}

const hostForm = /^(?:\[(?<address>[0-9a-f:.%]+)\]|(?<name>[^:[\]\s]*))(?::(?<port>\d*))?$/i;

function hostAndPort(text: string): { readonly host: string; readonly port: string } {
  const found = hostForm.exec(text)?.groups;
  if (found === undefined) throw new DatabaseUrlError(formRule);
  const { address, name = '', port = '' } = found;
  return { host: address ?? decoded(name), port };
}

function portOf(text: string): number {
  if (text === '') return usualPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new DatabaseUrlError('has a port that is not a number from 1 to 65535');
}
