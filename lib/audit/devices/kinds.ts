import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { badField } from '#core/errors.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { DatagramOutlet } from './datagram.ts';
import { discard, FileOutlet, isBelow, standardOutput } from './file.ts';
import { HttpOutlet } from './http.ts';
import { type DeviceOptions, mustBeKnown } from './options.ts';
import type { Outlet } from './outlet.ts';
import { StreamOutlet } from './stream.ts';

/** What a process allows devices to do. */
export interface DeviceBounds {
  readonly policy: NetworkPolicy;
  /** Files must be below this folder; undefined when they may be anywhere. */
  readonly filesBelow: string | undefined;
}

interface Kind {
  readonly options: readonly string[];
  /** Options whose values are not shown. */
  readonly sensitive?: readonly string[];
  open(options: DeviceOptions, bounds: DeviceBounds, limitMs: number): Outlet;
}

const kinds: Readonly<Record<string, Kind>> = {
  file: { options: ['file_path', 'path', 'mode'], open: openFile },
  socket: { options: ['address', 'socket_type'], open: openSocket },
  http: { options: ['uri', 'headers'], sensitive: ['headers'], open: openHttp },
};

/**
 * Checks the options of a device and creates its outlet, which opens nothing before the first line.
 *
 * @throws AppError `bad-request`
 */
export function outletOf(type: string, options: DeviceOptions, bounds: DeviceBounds, limitMs: number): Outlet {
  const kind = kindOf(type);
  mustBeKnown(options, kind.options);
  return kind.open(options, bounds, limitMs);
}

/** The options as shown to clients. */
export function shownOptions(type: string, options: DeviceOptions): DeviceOptions {
  const hidden = kinds[type]?.sensitive ?? [];
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, hidden.includes(name) ? '*****' : value]),
  );
}

function kindOf(type: string): Kind {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind !== undefined) return kind;
  if (type === 'syslog')
    throw badField('type', 'audit devices of type syslog are not supported: use a socket, or collect a file');
  throw badField(
    'type',
    `unknown type of audit device ${JSON.stringify(type)}; expected ${Object.keys(kinds).join(', ')}`,
  );
}

function openFile({ file_path: own, path = own, mode }: DeviceOptions, { filesBelow }: DeviceBounds): Outlet {
  if (path === undefined || path === '') throw badField('options.file_path', "'file_path' is required");
  if (path === 'stdout') return standardOutput;
  if (path === 'discard') return discard;
  if (!isAbsolute(path) || path.includes('\0'))
    throw badField('options.file_path', "'file_path' must be an absolute path, stdout or discard");
  if (filesBelow !== undefined && !isBelow(resolve(filesBelow), resolve(path)))
    throw badField('options.file_path', "'file_path' must be inside the folder set by KEYFERRY_AUDIT_DIR");
  return new FileOutlet({ path: resolve(path), mode: modeOf(mode), below: filesBelow });
}

/** Refuses executable files, because a log that can be run would be a way to run injected code. */
function modeOf(given: string | undefined): number | undefined {
  if (given === undefined || /^0+$/.test(given)) return undefined;
  const mode = /^0?[0-7]{3}$/.test(given) ? Number.parseInt(given, 8) : Number.NaN;
  if (Number.isNaN(mode) || (mode & 0o111) !== 0)
    throw badField('options.mode', "'mode' must have the form 0600, without execute permission");
  return mode;
}

function openSocket({ address, socket_type: type = 'tcp' }: DeviceOptions, { policy }: DeviceBounds): Outlet {
  if (address === undefined || address === '') throw badField('options.address', "'address' is required");
  if (type === 'unix') return new StreamOutlet({ path: address }, policy);
  if (type !== 'tcp' && type !== 'udp') throw badField('options.socket_type', "'socket_type' must be tcp, udp or unix");
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(address) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host === undefined || !(port >= 1 && port <= 65_535))
    throw badField('options.address', "'address' must have the form host:port");
  return type === 'tcp' ? new StreamOutlet({ host, port }, policy) : new DatagramOutlet({ host, port }, policy);
}

const headerTexts = z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/));

function openHttp({ uri, headers = '{}' }: DeviceOptions, { policy }: DeviceBounds, limitMs: number): Outlet {
  if (uri === undefined || !URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol))
    throw badField('options.uri', "'uri' is required and must be an http or https URL");
  const read = headerTexts.safeParse(parsed(headers));
  if (!read.success) throw badField('options.headers', "'headers' must be a JSON object of header names and values");
  return new HttpOutlet(uri, read.data, policy, limitMs);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
