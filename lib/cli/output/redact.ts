import type { Secret } from '#core/secret.ts';

/** Shorter values would blacken ordinary words. */
const lengthMin = 8;

/** Replaces secrets in a text for people. */
export function redacted(text: string, secrets: Iterable<Secret>): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length >= lengthMin) clean = clean.replaceAll(value, '[secret]');
  }
  return clean;
}
