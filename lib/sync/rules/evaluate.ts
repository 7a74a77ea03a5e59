import { type Kysely, sql, type Transaction } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Dirty } from '#store/outbox.ts';
import type { Database } from '#store/tables.ts';
import type { HoldSecrets } from '../batches/associate.ts';
import { type Change, type Deciding, type DescribedSecret, decide } from './decide.ts';
import { type Denial, deniedOf, type RightsOf } from './rights.ts';
import type { SyncRule } from './rule.ts';
import { endAll, existingOf, keepMount, keepRules, makeAll, type RuledMount, takeMount } from './statements.ts';

/** What rules need to know of secrets and of the rights of their owners. */
export interface RulePorts {
  /** Those of the secrets that have ever had a version. */
  readonly describeSecrets: (
    db: Kysely<Database>,
    mountId: string,
    secretNames: readonly string[],
  ) => Promise<readonly DescribedSecret[]>;
  /** The same for secrets that start with a prefix and come after another, in order. */
  readonly describeBelow: (
    mountId: string,
    prefix: string,
    after: string,
    limit: number,
  ) => Promise<readonly DescribedSecret[]>;
  /** The full path that reads a secret; undefined when the mount cannot be synced. */
  readonly readPath: (mount: RuledMount, secretName: string) => string | undefined;
  readonly rightsOf: RightsOf;
}

export interface EvaluateParts {
  readonly definitions: readonly DestinationDefinition[];
  readonly holdSecrets: HoldSecrets;
  readonly rules: RulePorts;
}

export interface Evaluated {
  readonly dirty: readonly Dirty[];
  /** The secrets whose associations are now as the rules say. */
  readonly done: readonly string[];
}

/**
 * Brings the associations of secrets of one mount in line with its rules, in the caller's transaction. May run twice. Undefined while
 * another sweep works on the mount.
 *
 * @param names in order
 * @param most how many associations it may change
 */
export async function evaluate(
  tx: Transaction<Database>,
  parts: EvaluateParts,
  mountId: string,
  names: readonly string[],
  most: number,
): Promise<Evaluated | undefined> {
  if (!(await takeMount(tx, mountId))) return undefined;
  const mount = await keepMount(tx, mountId);
  const rules = mount === undefined ? [] : await keepRules(tx, mountId);
  const look = async () => ({
    secrets: await parts.rules.describeSecrets(tx, mountId, names),
    existing: await existingOf(tx, mountId, names),
  });
  const first = decide({ ...parts, rules, names, ...(await look()) });
  const made = [...new Set(first.filter(isMake).map(({ secretName }) => secretName))];
  let changes = first;
  if (mount !== undefined && made.length > 0) {
    // What is seen of a secret while its row is locked stays true until the associations are committed.
    const held = new Set(await parts.holdSecrets(tx, mountId, made));
    const all = await allowed(tx, parts, mount, rules, names, await look());
    changes = all.filter((change) => change.kind === 'end' || held.has(change.secretName));
  }
  return apply(tx, mount, names, changes, most);
}

type RuleChange = Change<SyncRule>;
type Make = Extract<RuleChange, { kind: 'make' }>;
const isMake = (change: RuleChange): change is Make => change.kind === 'make';

/** Decides, without the rules whose owner has lost a right that they need now. These are suspended. */
async function allowed(
  tx: Transaction<Database>,
  parts: EvaluateParts,
  mount: RuledMount,
  rules: readonly SyncRule[],
  names: readonly string[],
  seen: Pick<Deciding<SyncRule>, 'secrets' | 'existing'>,
): Promise<readonly RuleChange[]> {
  let left = rules;
  for (;;) {
    const changes = decide({ ...parts, rules: left, names, ...seen });
    const denials = await deniedOf(parts.rules, mount, changes.filter(isMake));
    if (denials.size === 0) return changes;
    for (const [rule, denial] of denials) await suspend(tx, rule, denial);
    left = left.map((rule) => (denials.has(rule) ? { ...rule, state: 'suspended' as const } : rule));
  }
}

/** A rule that was stored again meanwhile, or is being stored, has other rights. Waiting for it could be in vain: see `workStep`. */
async function suspend(tx: Transaction<Database>, { id, revision }: SyncRule, denial: Denial): Promise<void> {
  await sql`
    update sync_rules set state = 'suspended', reason = ${denial.reason}, denied_secret = ${denial.secretName}, turned_at = now()
     where id = any(array(
             select id from sync_rules where id = ${id}::bigint and revision = ${revision}::int and state = 'active'
                for no key update skip locked))`.execute(tx);
}

async function apply(
  tx: Transaction<Database>,
  mount: RuledMount | undefined,
  names: readonly string[],
  changes: readonly RuleChange[],
  most: number,
): Promise<Evaluated> {
  const now = changes.slice(0, Math.max(0, most));
  const [left] = changes.slice(now.length);
  const ended = await endAll(
    tx,
    now.filter((change) => change.kind === 'end'),
  );
  const made = mount === undefined ? [] : await makeAll(tx, mount, now.filter(isMake));
  const done = left === undefined ? names : names.slice(0, names.indexOf(left.secretName));
  return { dirty: [...ended, ...made], done };
}
