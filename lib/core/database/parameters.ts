import { DatabaseUrlError } from './error.ts';

/** What `pg` takes of a URL beside what we read ourselves. */
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

/** Unknown parameters are ignored, for clients of other kinds add theirs; but never one that asks for more safety or another server. */
const mustBeKnown = /^(?:ssl|gss|krb|require|channel|target|load_balance|oauth|scram|service|passfile|hostaddr)/;
/** These ask for what is the case anyway, or for less. */
const harmless: ReadonlySet<string> = new Set([
  'gssencmode=disable',
  'gssencmode=prefer',
  'sslcompression=0',
  'sslsni=1',
]);

/** The parameters of a URL, each taken by the one that reads it. */
export class Parameters {
  readonly #values = new Map<string, string>();

  /** @throws DatabaseUrlError for one that comes twice */
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
    throw new DatabaseUrlError(`has a parameter ${name} that is none of ${values.join(', ')}`);
  }

  /** Those that nobody has taken and that `pg` knows. */
  rest(): Readonly<Record<string, string>> {
    for (const [name, value] of this.#values) {
      if (!mustBeKnown.test(name) || harmless.has(`${name}=${value}`)) continue;
      throw new DatabaseUrlError(`has the parameter ${shown(name)}, which is not supported: take it out`);
    }
    return Object.fromEntries([...this.#values].filter(([name]) => ofPg.has(name)));
  }
}

/** A name that is none may be a part of a password with an ampersand in it. */
const shown = (name: string): string => (/^[a-z_]{1,40}$/.test(name) ? name : '(a name that is none)');

/** A percent sign that begins no character stands for itself, as does a plus sign. */
export function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
