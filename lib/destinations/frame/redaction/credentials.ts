import type { Fields } from '#path/fields.ts';
import { fieldMeta } from '#path/meta.ts';
import type { AppCredentials, DestinationDefinition } from '../../contract.ts';
import { membersOf } from './members.ts';

/** Tokens are replaced when they expire, but a remote may quote an old one. */
const obtainedMax = 32;

/** The credentials of one destination: the sensitive fields of its connection, and the tokens obtained with them. */
export class Credentials {
  readonly #given: readonly string[];
  readonly #obtained = new Set<string>();
  readonly #open: ReadonlySet<string>;

  constructor({ fields, publicMembers = [] }: DestinationDefinition, connection: Readonly<Record<string, unknown>>) {
    this.#given = Object.entries(connection).flatMap(([name, value]) =>
      isSensitive(fields, name) && value != null ? [typeof value === 'string' ? value : JSON.stringify(value)] : [],
    );
    this.#open = new Set(publicMembers);
  }

  /** Adds a credential; the oldest one is dropped beyond the limit. */
  add(credential: string): void {
    if (this.#obtained.size >= obtainedMax && !this.#obtained.has(credential)) {
      for (const oldest of this.#obtained.keys().take(1)) this.#obtained.delete(oldest);
    }
    this.#obtained.add(credential);
  }

  /** Wraps `app`, so that an app's key is added once it is read. */
  readonly noting =
    (app: (name: string) => Promise<AppCredentials | undefined>) =>
    async (name: string): Promise<AppCredentials | undefined> => {
      const found = await app(name);
      if (found !== undefined) this.add(found.privateKey.reveal());
      return found;
    };

  texts(): readonly string[] {
    return [...this.#given, ...this.#obtained].flatMap((credential) => membersOf(credential, this.#open));
  }
}

function isSensitive(fields: Fields, name: string): boolean {
  const field = fields[name];
  return field !== undefined && fieldMeta(field).sensitive === true;
}
