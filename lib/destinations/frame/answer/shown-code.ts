/** A list of codes, written as one text. */
export const codeList = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(/\s+/)).filter((code) => code !== ''));

/**
 * A remote's code as it may be shown: one that the provider documents. What stands where a code should be may be anything, a secret too.
 * Undefined: it is left out.
 */
export const shownCode = (code: string | undefined, documented: ReadonlySet<string>): string | undefined =>
  code !== undefined && documented.has(code) ? code : undefined;

/** A code of Node, undici or TLS, which no remote can choose: `ECONNRESET`. Undefined: it is none. */
export const localCode = (code: unknown): string | undefined =>
  typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
