import { formsOf } from './forms.ts';

export const redacted = '[redacted]';

/** What is looked for in a text. */
export interface Grain {
  /** Secrets with fewer characters are not looked for: they are in too many words. */
  readonly wholeLengthMin: number;
  /** So many characters in a row of a secret, anywhere in it, are taken out: a remote that cuts what it quotes shows no more. */
  readonly partLengthMin: number;
}

export const remoteWords: Grain = { wholeLengthMin: 4, partLengthMin: 8 };
/** Of our own sentences much is in ordinary words that a secret may hold too; to take those out would disclose them. */
export const ownWords: Grain = { wholeLengthMin: 8, partLengthMin: 16 };

/** Longer texts are cut; nobody is shown as much. */
const textLengthMax = 4_096;
/** What stands between two parts of a secret and is shorter than this goes with them: line breaks, padding. */
const gapMax = 3;

/** From, until (not including). */
type Span = readonly [from: number, until: number];

interface Options {
  /** Texts that may be shown: what stands in one of them is left. */
  readonly names?: readonly string[];
  /** Default: `remoteWords`. */
  readonly grain?: Grain;
}

/**
 * The text without any of the secrets, in whatever form they are quoted, and without what has the form of a credential.
 * Linear in the length of the secrets; the text is cut to 4,096 characters first, so that its end may be missing.
 */
export function redact(whole: string, secrets: Iterable<string>, options: Options = {}): string {
  const { names = [], grain = remoteWords } = options;
  const cut = whole.length > textLengthMax;
  // Part of a secret may be at the cut, too short to be known.
  const text = cut ? whole.slice(0, textLengthMax) : whole;
  const left = cut ? textLengthMax - grain.partLengthMin : text.length;
  const open = names.flatMap((name) => spansOf(text, name));
  const find = finder(text, grain);
  const wanted = [...new Set(secrets)].filter((secret) => secret.length >= grain.wholeLengthMin);
  const spans = [...credentialSpans(text), ...wanted.flatMap((secret) => [...formsOf(secret)].flatMap(find))];
  return replaced(
    text,
    spans.filter(([from, until]) => !open.some((name) => name[0] <= from && until <= name[1])),
    left,
  );
}

/** What gives access whoever made it: a header's token, a JSON web token, the signature of a request. */
const credentials = [
  /\b(?:bearer|basic|token)\s+([\w.~+/=-]{16,})/gi,
  /\b(eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  /\bsignature["']?[=:]\s*["']?([0-9a-z+/=%]{32,})/gi,
];

function credentialSpans(text: string): readonly Span[] {
  return credentials.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match): Span => {
      const until = match.index + match[0].length;
      return [until - (match[1]?.length ?? 0), until];
    }),
  );
}

function spansOf(text: string, part: string): readonly Span[] {
  const spans: Span[] = [];
  if (part === '') return spans;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) spans.push([at, at + part.length]);
  return spans;
}

/** Where the text has a form of a secret, or as much of one as a part discloses. */
function finder(text: string, { wholeLengthMin, partLengthMin }: Grain): (form: string) => readonly Span[] {
  const positions = new Map<string, number[]>();
  const hashes = new Uint8Array(hashesMax);
  eachPart(text, partLengthMin, (at, hash) => {
    hashes[hash] = 1;
    const part = text.slice(at, at + partLengthMin);
    const known = positions.get(part);
    if (known === undefined) positions.set(part, [at]);
    else known.push(at);
  });
  return (form) => {
    if (form.length < partLengthMin) return form.length < wholeLengthMin ? [] : spansOf(text, form);
    const spans: Span[] = [];
    eachPart(form, partLengthMin, (at, hash) => {
      // Nearly all parts of a long secret are not in the text: the hash shows it without a text for each.
      if (hashes[hash] === 0) return;
      const part = form.slice(at, at + partLengthMin);
      for (const from of positions.get(part) ?? []) spans.push([from, from + partLengthMin]);
      // Found once is found: a value of the same few characters again and again would find each position each time.
      positions.delete(part);
    });
    return spans;
  };
}

const hashesMax = 65_536;
const base = 31;

/** Each part of the text: where it begins, and its hash, which rolls on from part to part. */
function eachPart(text: string, length: number, visit: (at: number, hash: number) => void): void {
  let leaving = 1;
  for (let power = 0; power < length; power += 1) leaving = Math.imul(leaving, base);
  let hash = 0;
  for (let at = 1 - length; at + length <= text.length; at += 1) {
    const left = at > 0 ? Math.imul(leaving, text.charCodeAt(at - 1)) : 0;
    hash = (Math.imul(hash, base) + text.charCodeAt(at + length - 1) - left) | 0;
    if (at >= 0) visit(at, (hash ^ (hash >>> 16)) & (hashesMax - 1));
  }
}

function replaced(text: string, spans: readonly Span[], left: number): string {
  const merged: [number, number][] = [];
  for (const [from, until] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + gapMax) last[1] = Math.max(last[1], until);
    else merged.push([from, until]);
  }
  let shown = '';
  let at = 0;
  for (const [from, until] of merged) {
    shown += `${text.slice(at, Math.min(from, left))}${from < left ? redacted : ''}`;
    at = until;
  }
  return shown + text.slice(at, left);
}
