import { textOf, type Value } from '#client/wire/json.ts';

export type Change = 'added' | 'removed' | 'changed';

/** A resource of a state, as its document names it. */
export interface Resource {
  readonly address: string;
  readonly provider: string;
  /** Number of its instances. */
  readonly count: number;
}

/** How one address differs between two states. */
export interface Difference {
  readonly address: string;
  readonly change: Change;
  readonly earlier: Resource | undefined;
  readonly later: Resource | undefined;
}

/** The resources in the document of a state version; undefined where the server has not read them yet. */
export function resourcesOf(list: Value | undefined): readonly Resource[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((one: Value) => {
    const [module, type, name] = [textOf(one, 'module'), textOf(one, 'type'), textOf(one, 'name')];
    return {
      address: `${module === 'root' || module === '' ? '' : `${module}.`}${type}.${name}`,
      provider: textOf(one, 'provider'),
      count: Number(textOf(one, 'count') || 0),
    };
  });
}

/** The addresses that differ, in their order: added, removed, or with another number of instances or another provider. */
export function differencesOf(earlier: readonly Resource[], later: readonly Resource[]): readonly Difference[] {
  const [before, after] = [byAddress(earlier), byAddress(later)];
  const addresses = [...new Set([...before.keys(), ...after.keys()])].sort();
  return addresses.flatMap((address) => {
    const [one, other] = [before.get(address), after.get(address)];
    const change = changeOf(one, other);
    return change === undefined ? [] : [{ address, change, earlier: one, later: other }];
  });
}

const byAddress = (resources: readonly Resource[]) => new Map(resources.map((one) => [one.address, one]));

function changeOf(one: Resource | undefined, other: Resource | undefined): Change | undefined {
  if (one === undefined) return 'added';
  if (other === undefined) return 'removed';
  return one.count === other.count && one.provider === other.provider ? undefined : 'changed';
}
