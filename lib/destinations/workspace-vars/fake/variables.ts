import { randomBytes } from 'node:crypto';

/** A variable as the stand-in stores it; `value` is kept readable. */
export interface StoredVariable {
  readonly id: string;
  key: string;
  value: string;
  description: string;
  category: string;
  hcl: boolean;
  sensitive: boolean;
  versionId: string;
}

type Content = Omit<StoredVariable, 'id' | 'versionId'>;
export type Draft = { readonly [K in keyof Content]?: Content[K] | undefined };

/** A rule that a write breaks, in the host's words. */
export interface Problem {
  readonly attribute: string;
  readonly detail: string;
}

export type Written = StoredVariable | Problem;

const valueBytesMax = 256 * 1024;
const descriptionLengthMax = 512;
const categories = ['env', 'terraform', 'policy-set'];

/** The variables of one workspace or one variable set, with the host's rules. */
export class Variables {
  readonly byId = new Map<string, StoredVariable>();

  create(draft: Draft): Written {
    const { key = '', value = '', description = '', category = '', hcl = false, sensitive = false } = draft;
    const wanted = { key, value, description, category, hcl, sensitive };
    const problem = this.#problem(wanted, undefined);
    if (problem !== undefined) return problem;
    const made = { id: newId('var'), versionId: newVersion(), ...wanted };
    this.byId.set(made.id, made);
    return made;
  }

  edit(entry: StoredVariable, draft: Draft): Written {
    const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
    const problem = this.#problem({ ...entry, ...given }, entry);
    // Even an edit without changes makes a new version.
    return problem ?? Object.assign(entry, given, { versionId: newVersion() });
  }

  find(key: string, category: string): StoredVariable | undefined {
    return [...this.byId.values()].find((entry) => entry.key === key && entry.category === category);
  }

  #problem(wanted: Content, before: StoredVariable | undefined): Problem | undefined {
    const { key, value, description, category } = wanted;
    if (!categories.includes(category))
      return { attribute: 'category', detail: 'Category is not included in the list' };
    if (key === '') return { attribute: 'key', detail: "Key can't be blank" };
    if (!/^[A-Za-z_][\w-]*$/.test(key) || (category === 'env' && key.includes('-')))
      return { attribute: 'key', detail: 'Key is invalid' };
    if (Buffer.byteLength(value) > valueBytesMax)
      return { attribute: 'value', detail: 'Value is too long (maximum is 256 KB)' };
    if (description.length > descriptionLengthMax)
      return { attribute: 'description', detail: 'Description is too long (maximum is 512 characters)' };
    const other = this.find(key, category);
    if (other !== undefined && other !== before) return { attribute: 'key', detail: 'Key has already been taken' };
    if (before?.sensitive === true && !wanted.sensitive)
      return { attribute: 'sensitive', detail: 'Sensitive cannot be removed from a variable' };
    return undefined;
  }
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A prefix and 16 characters of an alphabet without similar-looking ones. */
function newId(prefix: string): string {
  return `${prefix}-${[...randomBytes(16)].map((byte) => alphabet[byte % alphabet.length]).join('')}`;
}

const newVersion = (): string => randomBytes(18).toString('hex');
