import { z } from 'zod';
import { isRawNumber } from '#core/json/json.ts';

/**
 * Field types of the API family. Clients send the same field in several forms (a list as an array or as comma-separated text, a
 * duration as seconds or as `1h30m`, a boolean as text), so each type accepts all of them.
 * `z.toJSONSchema(..., { io: 'output' })` gives the OpenAPI schema.
 */

/** What `.meta()` of a field may contain. */
export interface FieldMeta {
  readonly description: string;
  /** Forms show it instead of the field's name. */
  readonly label?: string;
  /** The part of a form that has the field. */
  readonly group?: string;
  /** Its text usually has several lines. */
  readonly multiline?: boolean;
  /** Never shown: reads return `*****`. */
  readonly sensitive?: boolean;
  /** Fixed once the resource exists. */
  readonly immutable?: boolean;
  /** Determines where calls go or which peer they trust. A change requires the stored sensitive fields to be sent again. */
  readonly routes?: boolean;
  /** A write that omits it keeps the stored value. */
  readonly kept?: boolean;
  /** The newer name of the field. A policy rule about one of the names applies to both. */
  readonly formerNameOf?: string;
  /** The value `@path` means the content of a file. */
  readonly namesFile?: boolean;
  /** The known members of an object that is otherwise accepted as sent. */
  readonly members?: readonly string[];
  /** Where the value comes from; by default the body for writes and the query for reads. */
  readonly in?: 'path';
}

export type Fields = Readonly<Record<string, z.ZodType>>;
export type Input<F extends Fields> = { readonly [K in keyof F]: z.output<F[K]> };

/** Every type has a bound, so that no value is expensive to read. */
const textCharactersMax = 65_536;
const listEntriesMax = 10_000;
const mapEntriesMax = 1_000;

/**
 * The options of a check of length. zod also compares the member `length` of an object, which throws if it is a number whose digits
 * are kept.
 */
export const sizeRule = (error: string) => ({ error, when: hasSize });
const hasSize = ({ value }: { readonly value: unknown }): boolean => typeof value === 'string' || Array.isArray(value);

/** A value beyond its bound is not checked further. */
export const atMost = (count: number, things: 'characters' | 'entries') => ({
  ...sizeRule(`expected at most ${count} ${things}`),
  abort: true,
});

export const text = (charactersMax = textCharactersMax) =>
  z.preprocess(scalarText, z.string().max(charactersMax, atMost(charactersMax, 'characters')));
export const bool = () => z.preprocess(looseBool, z.boolean());
export const integer = () => z.preprocess(looseInteger, z.int('expected a whole number'));
/** With or without a fraction. */
export const number = () => z.preprocess(looseNumber, z.number('expected a number'));
/** Seconds. */
export const duration = () => {
  const seconds = z.int(durationRule).min(0, durationRule);
  durations.add(seconds);
  return z.preprocess(looseSeconds, seconds);
};
const durations = new WeakSet<z.ZodType>();

/** Whether a field is a duration, so that a text such as `1h` is converted to seconds. */
export function isDuration(field: unknown): boolean {
  if (field instanceof z.ZodUnion) return field.options.some(isDuration);
  if (field instanceof z.ZodPipe) return isDuration(field.in) || isDuration(field.out);
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodReadonly)
    return isDuration(field.unwrap());
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) return isDuration(field.unwrap());
  return field instanceof z.ZodType && durations.has(field);
}
export const textList = () => listOf(text());
/** Case-insensitive names, such as those of policies: converted to lower case and trimmed. */
export const foldedText = () =>
  z.preprocess(folded, z.string().max(textCharactersMax, atMost(textCharactersMax, 'characters')));
export const foldedList = () => listOf(foldedText());
export const integerList = () => listOf(z.preprocess(looseInteger, z.int()));
export const textMap = () => mapOf(text());
/** For merge patches: null removes a key. */
export const textMapPatch = () => mapOf(text().nullable());
/** Any JSON object, kept as parsed, with the digits of its numbers. */
export const jsonObject = () =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value),
      { error: 'expected an object' },
    )
    .meta({ type: 'object' });
/** A parameter of the path's pattern. */
export const pathText = (description: string) => z.string().meta({ description, in: 'path' });
/** A parameter that grants access, such as a token: logs hide it. */
export const secretPathText = (description: string) => z.string().meta({ description, in: 'path', sensitive: true });

const durationRule = 'expected a duration that is not negative: seconds, or a text such as "30s" or "1h30m"';

const listOf = <V extends z.ZodType>(value: V) =>
  z.preprocess(looseList, z.array(value).max(listEntriesMax, atMost(listEntriesMax, 'entries')));

const mapOf = <V extends z.ZodType>(value: V) =>
  z.preprocess((given, context) => mustKeepKeys(looseMap(given), context), z.record(z.string(), value));

function scalarText(value: unknown): unknown {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function folded(value: unknown): unknown {
  const given = scalarText(value);
  return typeof given === 'string' ? given.trim().toLowerCase() : given;
}

function looseBool(value: unknown): unknown {
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== 'string') return value;
  if (/^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  return value;
}

function looseInteger(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
}

function looseNumber(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === 'string' && /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value;
}

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

const durationCharactersMax = 64;

function looseSeconds(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (typeof value !== 'string') return value;
  if (value.length > durationCharactersMax) return value;
  const given = value.trim();
  if (given === '') return 0;
  if (/^-?\d{1,15}$/.test(given)) return Number(given);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(given)) return value;
  let seconds = 0;
  for (const [, amount, unit] of given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    seconds += Number(amount) * (unitSeconds[unit ?? 's'] ?? 1);
  }
  return Math.trunc(seconds);
}

function looseList(value: unknown): unknown {
  if (typeof value === 'number' || isRawNumber(value)) return [value];
  if (typeof value !== 'string') return value;
  return value
    .split(',', listEntriesMax + 1)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const objectCharactersMax = 65_536;

/** Command lines send an object as JSON text. Other text and text that is too long is returned unchanged. */
export function objectOfText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\{/.test(value) || value.length > objectCharactersMax) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** zod would accept a raw number as a map, and would silently drop the key `__proto__`. */
function mustKeepKeys(value: unknown, context: z.RefinementCtx): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '__proto__'))
    context.addIssue({ code: 'custom', message: 'the key __proto__ is not allowed' });
  if (Object.keys(value).length > mapEntriesMax)
    context.addIssue({ code: 'custom', message: atMost(mapEntriesMax, 'entries').error });
  return value;
}

function looseMap(value: unknown): unknown {
  const pairs = typeof value === 'string' ? looseList(value) : value;
  if (!Array.isArray(pairs)) return value;
  const entries = pairs.map((pair) => (typeof pair === 'string' ? splitPair(pair) : undefined));
  return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : value;
}

function splitPair(pair: string): readonly [string, string] | undefined {
  const at = pair.indexOf('=');
  return at > 0 ? [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] : undefined;
}
