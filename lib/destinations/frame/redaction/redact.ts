import { formsOf } from './forms.ts';

export const redacted = '[redacted]';

/** How closely a text is searched. */
export interface Grain {
  /** Shorter secrets are not searched, because too many words contain them. */
  readonly wholeLengthMin: number;
  /** This many consecutive characters of a secret, from any place in it, are redacted, for remotes that quote only a part. */
  readonly partLengthMin: number;
}

export const remoteWords: Grain = { wholeLengthMin: 4, partLengthMin: 8 };
/** Our own sentences consist of ordinary words that a secret may contain too; redacting those words would disclose them. */
export const ownWords: Grain = { wholeLengthMin: 8, partLengthMin: 16 };

/** Longer texts are cut; this is more than is ever shown. */
const textLengthMax = 4_096;
/** Gaps of at most this length between two parts of a secret, such as line breaks and padding, are redacted with them. */
const gapMax = 3;

/** A part of the text; `until` is exclusive. */
type Span = readonly [from: number, until: number];

interface Options {
  /** Texts that may be shown: parts of a secret within one of them stay. */
  readonly names?: readonly string[];
  /** Default: `remoteWords`. */
  readonly grain?: Grain;
}

/**
 * Removes the secrets from a text, in any form in which they are quoted, and everything that looks like a credential.
 * Linear in the length of the secrets. The text is first cut to 4,096 characters, so its end may be missing.
 */
export function redact(whole: string, secrets: Iterable<string>, options: Options = {}): string {
  const { names = [], grain = remoteWords } = options;
  const cut = whole.length > textLengthMax;
  // The cut may leave a part of a secret that is too short to recognise.
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

/** Patterns of credentials of any origin: a header's token, a JSON web token, the signature of a request. */
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

/** Finds the places where the text contains a form of a secret, or a part of one that is long enough. */
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
      // Nearly all parts of a long secret are missing from the text; the hash shows this without building each part.
      if (hashes[hash] === 0) return;
      const part = form.slice(at, at + partLengthMin);
      for (const from of positions.get(part) ?? []) spans.push([from, from + partLengthMin]);
      // Each part is searched once: a repetitive value would otherwise find every position again and again.
      positions.delete(part);
    });
    return spans;
  };
}

const hashesMax = 65_536;
const base = 31;

/** Visits each part of the text with its start and its rolling hash. */
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
