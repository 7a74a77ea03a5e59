/** A JSON value. Numbers that JavaScript would print differently are `Digits`. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Digits
  | readonly Value[]
  | { readonly [key: string]: Value | undefined };
export type ObjectValue = { readonly [key: string]: Value | undefined };

/** A number by its digits, such as `12345678901234567890` or `1.0`. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/**
 * Stands in front of the digits while the plain parser and printer carry them as text; random, so that no text of a secret is taken for
 * digits. Node 20, on which the command line runs, has no raw numbers in JSON.
 */
let mark: string | undefined;
/** Made when first needed: the module for random numbers is a part of the start of the command line. */
const markOf = (): string => {
  mark ??= `digits-${crypto.randomUUID()}:`;
  return mark;
};
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @throws SyntaxError when the text is not JSON. */
export function parseJson(text: string): Value {
  const carried = text.replace(tokens, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${markOf()}${token}"`,
  );
  // Also when some are carried: digits that no JSON number has, such as 007, must not become valid as text.
  const plain = JSON.parse(text) as Value;
  if (carried === text) return plain;
  const begin = markOf();
  return JSON.parse(carried, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(begin) ? new Digits(value.slice(begin.length)) : value,
  ) as Value;
}

export function printJson(value: Value, indent = 0): string {
  const carried = JSON.stringify(
    value,
    (_key, member: unknown) => (member instanceof Digits ? `${markOf()}${member.text}` : member),
    indent,
  );
  return mark === undefined ? carried : carried.replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

export const isObject = (value: Value | undefined): value is ObjectValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);

/** The member of an object, by the keys on the way. Undefined when there is none. */
export function memberOf(value: Value | undefined, ...keys: readonly string[]): Value | undefined {
  let member = value;
  for (const key of keys) member = isObject(member) && Object.hasOwn(member, key) ? member[key] : undefined;
  return member;
}

/** A text member; empty when there is none. */
export function textOf(value: Value | undefined, ...keys: readonly string[]): string {
  const member = memberOf(value, ...keys);
  return member === undefined || member === null || typeof member === 'object' ? numberText(member) : String(member);
}

const numberText = (value: Value | undefined): string => (value instanceof Digits ? value.text : '');

/** A list of texts; empty when there is none. */
export function textsOf(value: Value | undefined, ...keys: readonly string[]): readonly string[] {
  const member = memberOf(value, ...keys);
  return Array.isArray(member) ? member.filter((one): one is string => typeof one === 'string') : [];
}
