import type { Secret } from '#core/secret.ts';
import { type SecretPart, secretsIn, shownPath } from '#path/shown-path.ts';
import type { AuditedCaller } from '../contract.ts';
import { Hasher } from './hash.ts';

/** How a device writes its lines. */
export interface LineSettings {
  /** The key of the HMAC; 32 bytes in hexadecimal digits. */
  readonly salt: string;
  /** Record values in plain text instead of their HMAC. */
  readonly raw: boolean;
  readonly hmacAccessor: boolean;
  /** Record only the number of entries of listings. */
  readonly elideLists: boolean;
  /** Precedes each line. */
  readonly prefix: string;
}

/** The recorded request headers by lower-case name; true to record the HMAC. */
export type RecordedHeaders = ReadonlyMap<string, boolean>;

/** Headers with credentials are recorded as HMAC whatever the setting. */
export const secretHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-service-token',
  'x-vault-token',
];

/** How a token and its accessor are shown. */
interface CallerMarks {
  readonly token: string;
  readonly accessor: string;
}

const callersMax = 1_000;

/** The values of lines in the form of a device, in plain text or as HMAC. */
export class Marks {
  readonly settings: LineSettings;
  /** Undefined to show texts unchanged. */
  readonly hasher: Hasher | undefined;
  readonly #hashing: Hasher;
  readonly #callers = new Map<string, CallerMarks>();

  constructor(settings: LineSettings) {
    this.settings = settings;
    this.#hashing = new Hasher(Buffer.from(settings.salt, 'hex'));
    this.hasher = settings.raw ? undefined : this.#hashing;
  }

  text(value: string): string {
    return this.hasher?.text(value) ?? value;
  }

  path({ path, secrets }: { readonly path: string; readonly secrets: readonly SecretPart[] }): string {
    return shownPath(path, secrets, (value) => this.text(value));
  }

  /** A text that may quote the path. */
  aboutPath(
    text: string,
    { path, secrets }: { readonly path: string; readonly secrets: readonly SecretPart[] },
  ): string {
    return secretsIn(path, secrets).reduce((shown, secret) => shown.replaceAll(secret, () => this.text(secret)), text);
  }

  /** An accessor identifies a token but grants no access with it. */
  accessor(value: string): string {
    return this.settings.hmacAccessor && value !== '' ? this.text(value) : value;
  }

  /**
   * The token of a caller and its accessor. Both are in every line, so those of recent tokens are cached by accessor, which is not
   * secret.
   */
  callers(token: Secret, { accessor }: Pick<AuditedCaller, 'accessor'>): CallerMarks {
    const known = this.#callers.get(accessor);
    if (known !== undefined) return known;
    const made = { token: this.text(token.reveal()), accessor: this.accessor(accessor) };
    // A batch token has no accessor.
    if (accessor === '' || this.hasher === undefined) return made;
    if (this.#callers.size >= callersMax) this.#callers.clear();
    this.#callers.set(accessor, made);
    return made;
  }

  /** The reply of `sys/audit-hash`: the HMAC, even if the device writes plain text. */
  hash(value: string): string {
    return this.#hashing.text(value);
  }

  /** Undefined when none of the recorded headers was sent. */
  headers(
    sent: Readonly<Record<string, string | readonly string[] | undefined>>,
    recorded: RecordedHeaders,
  ): Readonly<Record<string, readonly string[]>> | undefined {
    if (recorded.size === 0) return undefined;
    const shown = [...recorded].flatMap(([name, hmac]): [string, readonly string[]][] => {
      const value = sent[name];
      if (value === undefined) return [];
      const values = typeof value === 'string' ? [value] : value;
      return [[name, hmac ? values.map((one) => this.text(one)) : values]];
    });
    return shown.length === 0 ? undefined : Object.fromEntries(shown);
  }
}
