import type { Json, JsonObject } from '../../../core/json.ts';

/** What a state version says of the resources of its state. */
export interface ResourceCounts {
  /** As many as a document lists; the counts are of all. */
  readonly resources: readonly ResourceSummary[];
  /** Instances by type below each module, and below each provider: `{"root": {"null-resource": 1}}`. */
  readonly modules: InstancesByType;
  readonly providers: InstancesByType;
  /** Instances that are managed: data sources are only read. */
  readonly managed: number;
}

export interface ResourceSummary {
  /** `data.` stands before the type of a data source. */
  readonly type: string;
  readonly name: string;
  readonly module: string;
  readonly provider: string;
  /** Instances. */
  readonly count: number;
}

type InstancesByType = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Characters of the texts in a list of resources, or of types by module: a page has up to a hundred documents. */
const listedCharactersMax = 256 * 1024;

/** Counts the resources of a state one by one. The memory that it takes is bounded. */
export class ResourceCounter {
  readonly #listed: ResourceSummary[] = [];
  readonly #modules = new TypeCounter();
  readonly #providers = new TypeCounter();
  #listedCharacters = 0;
  #managed = 0;

  /** `resource`: a resource as it stands in a state, with the number of its instances in place of them. */
  add(resource: JsonObject): void {
    const isManaged = resource['mode'] !== 'data';
    const type = `${isManaged ? '' : 'data.'}${textOf(resource['type'])}`;
    const module = textOf(resource['module'], 'root');
    const provider = textOf(resource['provider']);
    const count = typeof resource['instances'] === 'number' ? resource['instances'] : 0;
    const name = textOf(resource['name']);
    if (isManaged) this.#managed += count;
    this.#modules.add(module, type, count);
    this.#providers.add(provider, type, count);
    this.#list({ type, name, module, provider, count });
  }

  counts(): ResourceCounts {
    const [modules, providers] = [this.#modules.counts(), this.#providers.counts()];
    return { resources: this.#listed, modules, providers, managed: this.#managed };
  }

  #list(resource: ResourceSummary): void {
    const { type, name, module, provider } = resource;
    this.#listedCharacters += type.length + name.length + module.length + provider.length;
    if (this.#listedCharacters <= listedCharactersMax) this.#listed.push(resource);
  }
}

/** Counts instances by type below a name. Names and types that come when the bound is reached are not listed. */
class TypeCounter {
  readonly #counted = new Map<string, Map<string, number>>();
  #characters = 0;

  add(name: string, type: string, count: number): void {
    const types = this.#counted.get(name);
    const before = types?.get(type);
    if (types !== undefined && before !== undefined) {
      types.set(type, before + count);
      return;
    }
    this.#characters += type.length + (types === undefined ? name.length : 0);
    if (this.#characters > listedCharactersMax) return;
    this.#counted.set(name, (types ?? new Map<string, number>()).set(type, count));
  }

  counts(): InstancesByType {
    const shown = (types: ReadonlyMap<string, number>) =>
      Object.fromEntries([...types].map(([type, count]) => [type.replaceAll('_', '-'), count]));
    return Object.fromEntries([...this.#counted].map(([name, types]) => [name, shown(types)]));
  }
}

const textOf = (value: Json | undefined, absent = ''): string => (typeof value === 'string' ? value : absent);
