import { inspect } from 'node:util';

/** The most errors that are checked along `cause` and `errors`. */
const chainLengthMax = 32;
/** Shorter texts would be found by chance. */
const secretLengthMin = 8;

/** Finds secrets in everything that an error (or a log line) shows. Returns texts such as `link 0, stack: #0 as base64`. */
export function leaksOf(shown: unknown, secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret, index) =>
    formsOf(secret).map(([form, text]) => [`#${index} as ${form}`, text]),
  );
  return chainOf(shown).flatMap((link, depth) =>
    viewsOf(link).flatMap(([view, text]) =>
      forms.filter(([, secret = '']) => text.includes(secret)).map(([what]) => `link ${depth}, ${view}: ${what}`),
    ),
  );
}

/** The error with its causes. */
function chainOf(shown: unknown): readonly unknown[] {
  const chain = [shown];
  for (const link of chain) {
    if (!(link instanceof Error)) continue;
    const next: readonly unknown[] = link instanceof AggregateError ? [link.cause, ...link.errors] : [link.cause];
    const present = next.filter((one) => one !== undefined && !chain.includes(one));
    chain.push(...present.slice(0, chainLengthMax - chain.length));
  }
  return chain;
}

type Named = readonly [name: string, text: string];

function viewsOf(link: unknown): readonly Named[] {
  return [
    ['text', String(link)],
    ['stack', link instanceof Error ? String(link.stack) : ''],
    ['JSON', jsonOf(link)],
    ['inspect', inspect(link, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null })],
  ];
}

/** All own members, including hidden ones. */
function jsonOf(value: unknown): string {
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null) return typeof member === 'bigint' ? String(member) : member;
    if (seen.has(member)) return undefined;
    seen.add(member);
    if (!(member instanceof Error)) return member;
    return Object.fromEntries(Object.getOwnPropertyNames(member).map((name) => [name, Reflect.get(member, name)]));
  });
  return text ?? '';
}

function formsOf(secret: string): readonly Named[] {
  const lines = secret.split(/\n|\\n/).filter((line) => /^[\w+/=.~-]{20,}$/.test(line));
  return [secret, ...lines].filter((text) => text.length >= secretLengthMin).flatMap(encodingsOf);
}

function encodingsOf(text: string): readonly Named[] {
  const bytes = Buffer.from(text);
  const start = bytes.subarray(0, 16).toString('hex');
  return [
    ['itself', text],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['base64', bytes.toString('base64').replace(/=+$/, '')],
    ['base64url', bytes.toString('base64url')],
    ['part of a URL', encodeURIComponent(text)],
    ['hexadecimal digits', start],
    ['bytes', start.replace(/..(?=.)/g, '$& ')],
  ];
}
