import { DatabaseUrlError } from './error.ts';

/** URL parameters passed to `pg`, in addition to those parsed here. */
const ofPg: ReadonlySet<string> = new Set([
  'application_name',
  'client_encoding',
  'fallback_application_name',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'query_timeout',
  'statement_timeout',
]);

/** Unknown parameters are ignored, because other clients add theirs, except those that request more security or another server. */
const mustBeKnown = /^(?:ssl|gss|krb|require|channel|target|load_balance|oauth|scram|service|passfile|hostaddr)/;
/** Values that request the existing behaviour or less. */
const harmless: ReadonlySet<string> = new Set([
  'gssencmode=disable',
  'gssencmode=prefer',
  'sslcompression=0',
  'sslsni=1',
]);

/** The parameters of a URL; reading one removes it. */
export class Parameters {
  readonly #values = new Map<string, string>();

  /** @throws DatabaseUrlError for a repeated parameter */
  constructor(query: string) {
    for (const pair of query.split('&').filter((text) => text !== '')) {
      const [name = '', ...value] = pair.split('=');
      if (this.#values.has(decoded(name))) throw new DatabaseUrlError(`has the parameter ${shown(name)} twice`);
      this.#values.set(decoded(name), decoded(value.join('=')));
    }
  }

  take(name: string): string | undefined {
    const value = this.#values.get(name);
    this.#values.delete(name);
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const found = values.find((one) => one === value);
    if (found !== undefined) return found;
    throw new DatabaseUrlError(`has a parameter ${name} that is not one of ${values.join(', ')}`);
  }

  /** The remaining parameters that `pg` knows. */
  rest(): Readonly<Record<string, string>> {
    for (const [name, value] of this.#values) {
      if (!mustBeKnown.test(name) || harmless.has(`${name}=${value}`)) continue;
      throw new DatabaseUrlError(`has the parameter ${shown(name)}, which is not supported: remove it`);
    }
    return Object.fromEntries([...this.#values].filter(([name]) => ofPg.has(name)));
  }
}

/** An odd name may be part of a password that contains an ampersand. */
const shown = (name: string): string => (/^[a-z_]{1,40}$/.test(name) ? name : '(an invalid name)');

/** A percent sign that begins no escape is literal, as is a plus sign. */
export function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
