import type { DestinationDefinition } from '#destinations/contract.ts';
import { unfit } from '#destinations/frame/rules/fit.ts';
import type { Barrier } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import { namer } from '../../template/naming.ts';
import type { Template } from '../../template/template.ts';
import { toEntries } from './entries.ts';
import { type Plan, plan } from './plan.ts';

export interface DecideParts {
  readonly definition: DestinationDefinition;
  readonly store: { readonly barrier: Barrier };
  readonly compile: (template: string) => Template;
}

/** What an association should be at its destination, and what is recorded of it. */
export type Decided = Pick<
  Claimed,
  | 'type'
  | 'destinationName'
  | 'namespaceId'
  | 'namespacePath'
  | 'mountPath'
  | 'mountAccessor'
  | 'secretName'
  | 'granularity'
  | 'template'
  | 'adopt'
  | 'tags'
  | 'objects'
  | 'confirmed'
>;

export interface DecideHow {
  /** See `PlanInput`. */
  readonly forced: boolean;
  readonly verify: boolean;
  readonly removeAgain: boolean;
}

/** @param json the secret; undefined when no copy is wanted */
export function decide(
  { definition, store, compile }: DecideParts,
  association: Decided,
  json: string | undefined,
  how: DecideHow,
): Plan {
  const { granularity, objects, tags, adopt, confirmed, template } = association;
  return plan({
    entries: json === undefined ? [] : toEntries(json, granularity),
    written: objects,
    tags,
    adopt,
    ...how,
    confirmed: new Set(confirmed),
    unfit: (put) => unfit(definition, put),
    name: namer(compile(template), definition.names, association),
    nameKey: definition.names.key,
    fingerprint: (name, value) => fingerprintOf(store.barrier, name, value.reveal(), tags),
  });
}

function fingerprintOf(barrier: Barrier, name: string, value: string, tags: Readonly<Record<string, string>>): Buffer {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return barrier.mac('fingerprint', JSON.stringify([name, value, sorted]));
}

/** The mark of an object of an association. */
export const markOf = (barrier: Barrier, associationId: string, nameKey: string): string =>
  barrier.mac('mark', `${associationId}/${nameKey}`).toString('hex').slice(0, 32);

/** All tags that an object will have, including the built-in ones. */
export const tagsOf = (
  { tags }: DestinationDefinition,
  custom: Readonly<Record<string, string>>,
  mark: string,
): Readonly<Record<string, string>> => (tags === undefined ? {} : { ...custom, ...tags.builtIn(mark) });
