import { randomBytes } from 'node:crypto';
import { names } from '../names.ts';

/** A variable as the stand-in stores it; `value` is not encrypted. */
export interface StoredVariable {
  readonly id: string;
  readonly key: string;
  value: string;
  type: string;
  target: readonly string[];
  comment: string;
  gitBranch: string | undefined;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Draft {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly type?: string | undefined;
  readonly target?: readonly string[] | undefined;
  readonly comment?: string | undefined;
  readonly gitBranch?: string | null | undefined;
}

/** The outcome of a write: the variable, or the API's error. */
export type Written = StoredVariable | { readonly code: string; readonly message: string };

const environmentBytesMax = 64 * 1024;
const commentLengthMax = 500;

/** The variables of one project, with the service's rules. */
export class Project {
  readonly variables = new Map<string, StoredVariable>();
  #tick = Date.now();

  create(draft: Draft, upsert: boolean): Written {
    const { key = '', value = '', target = [] } = draft;
    const refusal = this.#refusal(key, value, draft, target);
    if (refusal !== undefined) return refusal;
    const branch = draft.gitBranch ?? undefined;
    const rivals = [...this.variables.values()].filter((entry) => collides(entry, key, target, branch));
    const [rival] = rivals;
    if (rival === undefined) return this.#add(key, value, draft, target, branch);
    // An upsert matches only a variable with exactly the same environments.
    if (!upsert || rivals.length > 1 || !sameSet(rival.target, target)) return conflict(key, rival.target);
    return Object.assign(rival, {
      value,
      comment: draft.comment ?? '',
      type: draft.type ?? rival.type,
      updatedAt: this.#now(),
    });
  }

  edit(entry: StoredVariable, draft: Draft): Written {
    const { value = entry.value, target = entry.target, comment = entry.comment } = draft;
    const refusal = this.#refusal(entry.key, value, { ...entry, ...draft }, target, entry);
    if (refusal !== undefined) return refusal;
    const others = [...this.variables.values()].filter((other) => other !== entry);
    const rival = others.find((other) => collides(other, entry.key, target, entry.gitBranch));
    if (rival !== undefined) return conflict(entry.key, rival.target);
    return Object.assign(entry, { value, target, comment, updatedAt: this.#now() });
  }

  #add(key: string, value: string, draft: Draft, target: readonly string[], gitBranch: string | undefined) {
    const at = this.#now();
    const { type = 'encrypted', comment = '' } = draft;
    const id = randomBytes(8).toString('hex');
    const entry = { id, key, value, type, target, comment, gitBranch, createdAt: at, updatedAt: at };
    this.variables.set(id, entry);
    return entry;
  }

  #refusal(key: string, value: string, draft: Draft, target: readonly string[], self?: StoredVariable) {
    const name = names.refuse(key);
    if (name !== undefined)
      return { code: name.includes('reserved') ? 'reserved_name' : 'invalid_characters', message: name };
    if (target.length === 0) return { code: 'bad_request', message: 'target must not be empty' };
    if (draft.type === 'sensitive' && target.includes('development')) {
      return { code: 'bad_request', message: 'a sensitive variable cannot be for development' };
    }
    if ((draft.comment ?? '').length > commentLengthMax) return { code: 'bad_request', message: 'comment is too long' };
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(value);
    const full = target.find((environment) => this.#bytes(environment, key, self) + bytes > environmentBytesMax);
    return full === undefined ? undefined : { code: 'env_size_exceeded', message: `no room for ${full}` };
  }

  #bytes(environment: string, key: string, self: StoredVariable | undefined): number {
    const others = [...this.variables.values()].filter((entry) => entry !== self && entry.key !== key);
    const present = others.filter(({ target }) => target.includes(environment));
    return present.reduce((sum, entry) => sum + Buffer.byteLength(entry.key) + Buffer.byteLength(entry.value), 0);
  }

  /** Rises with every write, so that versions differ within a millisecond. */
  #now(): number {
    this.#tick = Math.max(this.#tick + 1, Date.now());
    return this.#tick;
  }
}

const conflict = (key: string, target: readonly string[]) => ({
  code: 'ENV_CONFLICT',
  message: `A variable with the name \`${key}\` already exists for the target ${target.join(',')} on branch undefined`,
});

const collides = (entry: StoredVariable, key: string, target: readonly string[], branch: string | undefined): boolean =>
  entry.key === key && entry.gitBranch === branch && entry.target.some((environment) => target.includes(environment));

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((entry) => right.includes(entry));
