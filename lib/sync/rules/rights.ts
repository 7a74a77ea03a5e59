import type { Change } from './decide.ts';
import type { RuleOwner, SyncRule } from './rule.ts';
import type { RuledMount } from './statements.ts';

/** Whether an owner may do this on a full path, with the namespace. */
export type May = (capability: 'read' | 'update', path: string) => boolean;

/** The rights of an owner now; undefined when it has none: its namespace is gone, or its entity disabled or deleted. */
export type RightsOf = (owner: RuleOwner) => Promise<May | undefined>;

export interface Denial {
  readonly secretName: string;
  readonly reason: string;
}

interface Rights {
  readonly rightsOf: RightsOf;
  readonly readPath: (mount: RuledMount, secretName: string) => string | undefined;
}

type Make = Extract<Change<SyncRule>, { kind: 'make' }>;

/** The rules whose owner may not do what they are about to do. The reasons name no secret: readers of a rule may not know it. */
export async function deniedOf(
  parts: Rights,
  mount: RuledMount,
  makes: readonly Make[],
): Promise<ReadonlyMap<SyncRule, Denial>> {
  const denied = new Map<SyncRule, Denial>();
  for (const [rule, own] of Map.groupBy(makes, (make) => make.rule)) {
    const may = await parts.rightsOf(rule.owner);
    for (const { secretName, destination } of own) {
      const reason = whyNot(parts, may, { rule, mount, secretName, destinations: [destination] });
      if (reason === undefined) continue;
      denied.set(rule, { secretName, reason });
      break;
    }
  }
  return denied;
}

interface Use {
  readonly rule: Pick<SyncRule, 'namespace_path'>;
  readonly mount: RuledMount;
  readonly secretName: string;
  readonly destinations: SyncRule['destinations'];
}

/** Why a rule may not send a secret to its destinations; undefined when it may. The rights are those of `associations/set`. */
export function whyNot(
  { readPath }: Pick<Rights, 'readPath'>,
  may: May | undefined,
  { rule, mount, secretName, destinations }: Use,
): string | undefined {
  if (may === undefined)
    return 'its owner has no rights any longer: the entity or the namespace is disabled or deleted';
  const path = readPath(mount, secretName);
  if (path === undefined || !may('read', rule.namespace_path + path))
    return 'the policies of its owner do not allow reading every secret that it selects';
  const closed = destinations.find(({ type, name }) => !may('update', rule.namespace_path + setPath(type, name)));
  return closed && `the policies of its owner do not allow associating secrets with ${closed.type}/${closed.name}`;
}

/** The path that associates secrets with a destination. */
export const setPath = (type: string, name: string): string => `sys/sync/destinations/${type}/${name}/associations/set`;
