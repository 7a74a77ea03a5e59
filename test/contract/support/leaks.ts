import { inspect } from 'node:util';

/** Errors looked at along `cause` and `errors`. */
const chainLengthMax = 32;
/** A shorter text is found by chance. */
const secretLengthMin = 8;

/** Where a secret shows in what people may see of an error (or of a log line): texts such as `cause.message holds #0 as base64`. */
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

/** The error and those behind it. */
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

/** All own members, hidden ones too. */
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
