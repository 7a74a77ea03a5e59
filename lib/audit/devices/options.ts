import { badRequest } from '../../core/errors.ts';
import { bool, duration } from '../../path/fields.ts';
import type { LineSettings } from '../lines/settings.ts';

/** Options of a device as clients give them. */
export type DeviceOptions = Readonly<Record<string, string>>;

const common = ['format', 'log_raw', 'hmac_accessor', 'elide_list_responses', 'prefix', 'write_timeout'];
const prefixCharactersMax = 256;
const timeoutSecondsMax = 60;
const timeoutSecondsUsual = 2;

/** @throws AppError `bad-request` for a name that is neither common to all devices nor of this type */
export function mustBeKnown(options: DeviceOptions, own: readonly string[]): void {
  const known = [...common, ...own];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw badRequest(`unknown option ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
}

/** @throws AppError `bad-request` */
export function lineSettings(options: DeviceOptions, salt: string): LineSettings {
  const { format = 'json', prefix = '' } = options;
  if (format !== 'json') throw badRequest(`the format ${JSON.stringify(format)} is not supported; it is json`);
  if (prefix.length > prefixCharactersMax || !/^[\x20-\x7e]*$/.test(prefix))
    throw badRequest(`'prefix' has at most ${prefixCharactersMax} printable characters of ASCII`);
  return {
    salt,
    prefix,
    raw: flag(options, 'log_raw', false),
    hmacAccessor: flag(options, 'hmac_accessor', true),
    elideLists: flag(options, 'elide_list_responses', false),
  };
}

/** Milliseconds that a line may take. @throws AppError `bad-request` */
export function timeoutMs({ write_timeout: given }: DeviceOptions): number {
  if (given === undefined) return timeoutSecondsUsual * 1_000;
  const milliseconds = /^(\d{1,5})ms$/.exec(given)?.[1];
  const seconds = milliseconds === undefined ? duration().safeParse(given).data : Number(milliseconds) / 1_000;
  if (seconds === undefined || seconds <= 0 || seconds > timeoutSecondsMax)
    throw badRequest(`'write_timeout' is a duration such as 2s, more than 0 and at most ${timeoutSecondsMax}s`);
  return seconds * 1_000;
}

function flag(options: DeviceOptions, name: string, usual: boolean): boolean {
  const given = options[name];
  if (given === undefined) return usual;
  const read = bool().safeParse(given);
  if (read.success) return read.data;
  throw badRequest(`'${name}' is true or false`);
}
