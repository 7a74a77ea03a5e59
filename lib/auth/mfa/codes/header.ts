import { badRequest } from '../../../core/errors.ts';

/** A code that was sent for a method, named by its name or its id. */
export interface GivenCode {
  readonly method: string;
  /** As it was sent; empty: the method was named alone. */
  readonly code: string;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const names = ['x-service-mfa', 'x-vault-mfa'] as const;

/** In one request. */
const codesMax = 16;
const charactersMax = 4_096;

/**
 * The codes of the header, which may be repeated: `name:code`, or `name:passcode=code`. Undefined: it was not sent.
 *
 * @throws AppError `bad-request` without anything of what was sent
 */
export function codesOfHeader(headers: Headers): readonly GivenCode[] | undefined {
  const name = names.find((one) => headers[one] !== undefined);
  if (name === undefined) return undefined;
  const sent = headers[name] ?? '';
  const text = typeof sent === 'string' ? sent : sent.join(',');
  // Node puts repeated headers together with commas.
  const values = text.length > charactersMax ? [] : text.split(',', codesMax + 1);
  const codes = values.map(givenCode);
  const isSound = codes.length > 0 && codes.length <= codesMax && codes.every((one) => one !== undefined);
  if (!isSound) throw malformed(name, `it has up to ${codesMax} values of the form "method:code"`);
  if (new Set(codes.map(({ method }) => method)).size < codes.length)
    throw malformed(name, 'a method is named more than once');
  return codes;
}

/** The form for methods without codes names the method alone. */
function givenCode(value: string): GivenCode | undefined {
  const [, method = '', colon, code = ''] = /^\s*([^:]*?)\s*(?:(:)\s*(?:passcode=)?(.*?))?\s*$/.exec(value) ?? [];
  if (method === '' || (colon !== undefined && code === '')) return undefined;
  return { method, code };
}

const malformed = (name: string, why: string) => badRequest(`failed to parse ${shownName(name)} header: ${why}`);

const shownName = (name: string): string => (name === 'x-vault-mfa' ? 'X-Vault-MFA' : 'X-Service-MFA');
