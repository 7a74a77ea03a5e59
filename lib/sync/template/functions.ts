import { createHash } from 'node:crypto';
import { TemplateError } from './tokens.ts';

export type Value = string | number | boolean;

const textLengthMax = 100_000;

interface TemplateFunction {
  readonly usage: string;
  readonly arguments: { readonly min: number; readonly max: number };
  readonly call: (values: readonly Value[]) => Value;
}

/**
 * The functions of name templates. All are pure, without time or randomness, so that each rendering gives the same name. The
 * piped value is the last argument: `{{ .SecretPath | replace "/" "_" }}`.
 */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['uppercase', text1('uppercase TEXT', (text) => text.toUpperCase())],
  ['lowercase', text1('lowercase TEXT', (text) => text.toLowerCase())],
  ['trim', text1('trim TEXT', (text) => text.trim())],
  ['sha256', text1('sha256 TEXT', sha256)],
  ['base64', text1('base64 TEXT', (text) => Buffer.from(text).toString('base64'))],
  ['replace', text3('replace OLD NEW TEXT', replace)],
  [
    'trimprefix',
    text2('trimprefix PREFIX TEXT', (prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  ],
  ['trimsuffix', text2('trimsuffix SUFFIX TEXT', trimSuffix)],
  ['truncate', numberText('truncate LENGTH TEXT', (length, text) => [...text].slice(0, length).join(''))],
  ['truncate_sha256', numberText('truncate_sha256 LENGTH TEXT', truncateSha256)],
  ['hasprefix', predicate('hasprefix PREFIX TEXT', (prefix, text) => text.startsWith(prefix))],
  ['hassuffix', predicate('hassuffix SUFFIX TEXT', (suffix, text) => text.endsWith(suffix))],
  ['contains', predicate('contains PART TEXT', (part, text) => text.includes(part))],
  ['eq', values('eq A B ...', 2, 16, ([first, ...others]) => others.some((other) => other === first))],
  ['ne', values('ne A B', 2, 2, ([a, b]) => a !== b)],
  ['not', values('not A', 1, 1, ([a]) => !isTrue(a))],
  ['and', values('and A B ...', 2, 16, (all) => all.find((value) => !isTrue(value)) ?? all.at(-1) ?? false)],
  ['or', values('or A B ...', 2, 16, (all) => all.find(isTrue) ?? all.at(-1) ?? false)],
  ['len', values('len TEXT', 1, 1, ([text]) => [...String(text)].length)],
]);

/** Everything is true except the empty string, 0 and false. */
export const isTrue = (value: Value | undefined): boolean =>
  value !== undefined && value !== '' && value !== 0 && value !== false;

function text1(usage: string, call: (text: string) => Value): TemplateFunction {
  return { usage, arguments: { min: 1, max: 1 }, call: ([a]) => call(asText(usage, a)) };
}

function text2(usage: string, call: (a: string, b: string) => Value): TemplateFunction {
  return { usage, arguments: { min: 2, max: 2 }, call: ([a, b]) => call(asText(usage, a), asText(usage, b)) };
}

function text3(usage: string, call: (a: string, b: string, c: string) => Value): TemplateFunction {
  const run = ([a, b, c]: readonly Value[]) => call(asText(usage, a), asText(usage, b), asText(usage, c));
  return { usage, arguments: { min: 3, max: 3 }, call: run };
}

function numberText(usage: string, call: (length: number, text: string) => Value): TemplateFunction {
  return { usage, arguments: { min: 2, max: 2 }, call: ([n, text]) => call(asLength(usage, n), asText(usage, text)) };
}

function predicate(usage: string, call: (a: string, b: string) => boolean): TemplateFunction {
  return text2(usage, call);
}

function values(usage: string, min: number, max: number, call: (all: readonly Value[]) => Value): TemplateFunction {
  return { usage, arguments: { min, max }, call };
}

function asText(usage: string, value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw new TemplateError(`${usage}: expected a string, not a ${typeof value}`);
}

function asLength(usage: string, value: Value | undefined): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw new TemplateError(`${usage}: LENGTH has to be a whole number of at least 0`);
}

/** Inserts NEW literally. Checks the length before building the text, because each `replace` of a pipe can multiply it. */
function replace(old: string, by: string, text: string): string {
  if (old === '') return text;
  const parts = text.split(old);
  const length = text.length + (parts.length - 1) * (by.length - old.length);
  if (length > textLengthMax)
    throw new TemplateError(`replace OLD NEW TEXT: the result has more than ${textLengthMax} characters`);
  return parts.join(by);
}

function trimSuffix(suffix: string, text: string): string {
  return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Cuts to `length` characters, the last 8 of which are a hash of the removed part, so that long names stay distinct. */
function truncateSha256(length: number, text: string): string {
  const letters = [...text];
  if (letters.length <= length) return text;
  if (length <= 8) throw new TemplateError('truncate_sha256 LENGTH TEXT: LENGTH has to be more than 8');
  return letters.slice(0, length - 8).join('') + sha256(letters.slice(length - 8).join('')).slice(0, 8);
}
