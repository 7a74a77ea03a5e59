/** A list of codes, written as one text. */
export const codeList = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(/\s+/)).filter((code) => code !== ''));

/**
 * A remote's code if it may be shown, that is, if the provider documents it: other text in its place could even be a secret.
 * Undefined otherwise.
 */
export const shownCode = (code: string | undefined, documented: ReadonlySet<string>): string | undefined =>
  code !== undefined && documented.has(code) ? code : undefined;

/** A code of Node, undici or TLS, which no remote can choose, such as `ECONNRESET`. Undefined for anything else. */
export const localCode = (code: unknown): string | undefined =>
  typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;

/** Parses JSON, and returns undefined for other texts, such as a proxy's page: the parser's error would quote the text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
