import { badRequest } from '#core/errors.ts';

/** A code for a method, which the client names by its name or id. */
export interface GivenCode {
  readonly method: string;
  /** Empty when the client sent the method without a code. */
  readonly code: string;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const names = ['x-service-mfa', 'x-vault-mfa'] as const;

/** Bounds of one request. */
const codesMax = 16;
const charactersMax = 4_096;

/**
 * The codes of the header, which may be repeated: `name:code` or `name:passcode=code`. Undefined when the header is missing.
 *
 * @throws AppError `bad-request`, whose text does not contain the header
 */
export function codesOfHeader(headers: Headers): readonly GivenCode[] | undefined {
  const name = names.find((one) => headers[one] !== undefined);
  if (name === undefined) return undefined;
  const sent = headers[name] ?? '';
  const text = typeof sent === 'string' ? sent : sent.join(',');
  // Node joins repeated headers with commas.
  const values = text.length > charactersMax ? [] : text.split(',', codesMax + 1);
  const codes = values.map(givenCode);
  const isValid = codes.length > 0 && codes.length <= codesMax && codes.every((one) => one !== undefined);
  if (!isValid) throw malformed(name, `expected up to ${codesMax} values of the form "method:code"`);
  if (new Set(codes.map(({ method }) => method)).size < codes.length)
    throw malformed(name, 'a method is named more than once');
  return codes;
}

/** A method without a colon has no code. */
function givenCode(value: string): GivenCode | undefined {
  const [, method = '', colon, code = ''] = /^\s*([^:]*?)\s*(?:(:)\s*(?:passcode=)?(.*?))?\s*$/.exec(value) ?? [];
  if (method === '' || (colon !== undefined && code === '')) return undefined;
  return { method, code };
}

const malformed = (name: string, why: string) => badRequest(`failed to parse ${shownName(name)} header: ${why}`);

const shownName = (name: string): string => (name === 'x-vault-mfa' ? 'X-Vault-MFA' : 'X-Service-MFA');
