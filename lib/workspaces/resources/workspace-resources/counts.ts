import { z } from 'zod';
import type { Json, JsonObject } from '#core/json/json.ts';

/** The summary of the resources of a state. */
export interface ResourceCounts {
  /** At most the resources that fit into a document; the counts include all. */
  readonly resources: readonly ResourceSummary[];
  /** Instances by type for each module, and for each provider: `{"root": {"null-resource": 1}}`. */
  readonly modules: InstancesByType;
  readonly providers: InstancesByType;
  /** Managed instances, that is, without data sources. */
  readonly managed: number;
}

export type ResourceSummary = z.infer<typeof resourceSummary>;

export const resourceSummary = z
  .strictObject({
    /** Types of data sources have the prefix `data.`. */
    type: z.string(),
    name: z.string(),
    module: z.string(),
    provider: z.string(),
    /** Number of instances. */
    count: z.number(),
  })
  .readonly();

type InstancesByType = z.infer<typeof instancesByType>;

export const instancesByType = z.record(z.string(), z.record(z.string(), z.number()).readonly()).readonly();

/** Limit for the characters in a list of resources, or of types by module, since a page contains up to a hundred documents. */
const listedCharactersMax = 256 * 1024;

/** Counts the resources of a state one by one, with bounded memory. */
export class ResourceCounter {
  readonly #listed: ResourceSummary[] = [];
  readonly #modules = new TypeCounter();
  readonly #providers = new TypeCounter();
  #listedCharacters = 0;
  #managed = 0;

  /** `resource` is a resource of a state with the number of its instances in place of the list. */
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

/** Counts instances by name and type. Names and types beyond the limit are not listed. */
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
