import { badField } from '#core/errors.ts';
import { bool, duration } from '#path/fields.ts';
import type { LineSettings } from '../lines/marks.ts';

/** Options of a device as sent by clients. */
export type DeviceOptions = Readonly<Record<string, string>>;

const common = ['format', 'log_raw', 'hmac_accessor', 'elide_list_responses', 'prefix', 'write_timeout'];
const prefixCharactersMax = 256;
const timeoutSecondsMax = 60;
const timeoutSecondsDefault = 2;

/** @throws AppError `bad-request` for an option that neither all devices nor this type have */
export function mustBeKnown(options: DeviceOptions, own: readonly string[]): void {
  const known = [...common, ...own];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const rule = `expected ${known.join(', ')}`;
  throw badField('options', `unknown option ${JSON.stringify(unknown)}; ${rule}`, { rule: `unknown option; ${rule}` });
}

/** @throws AppError `bad-request` */
export function lineSettings(options: DeviceOptions, salt: string): LineSettings {
  const { format = 'json', prefix = '' } = options;
  if (format !== 'json')
    throw badField('options.format', `the format ${JSON.stringify(format)} is not supported; use json`, {
      rule: 'use json',
    });
  if (prefix.length > prefixCharactersMax || !/^[\x20-\x7e]*$/.test(prefix))
    throw badField('options.prefix', `'prefix' must be at most ${prefixCharactersMax} printable ASCII characters`);
  return {
    salt,
    prefix,
    raw: flag(options, 'log_raw', false),
    hmacAccessor: flag(options, 'hmac_accessor', true),
    elideLists: flag(options, 'elide_list_responses', false),
  };
}

/** Time limit for writing a line, in milliseconds. @throws AppError `bad-request` */
export function timeoutMs({ write_timeout: given }: DeviceOptions): number {
  if (given === undefined) return timeoutSecondsDefault * 1_000;
  const milliseconds = /^(\d{1,5})ms$/.exec(given)?.[1];
  const seconds = milliseconds === undefined ? duration().safeParse(given).data : Number(milliseconds) / 1_000;
  if (seconds === undefined || seconds <= 0 || seconds > timeoutSecondsMax)
    throw badField(
      'options.write_timeout',
      `'write_timeout' must be a duration such as 2s, more than 0 and at most ${timeoutSecondsMax}s`,
    );
  return seconds * 1_000;
}

function flag(options: DeviceOptions, name: string, byDefault: boolean): boolean {
  const given = options[name];
  if (given === undefined) return byDefault;
  const read = bool().safeParse(given);
  if (read.success) return read.data;
  throw badField(`options.${name}`, `'${name}' must be true or false`);
}
