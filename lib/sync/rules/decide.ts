import type { DestinationDefinition, Granularity } from '#destinations/contract.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { associationsTable } from '#store/tables/sync.ts';
import { templateOf } from '../template/naming.ts';
import { compileGlob } from './glob.ts';
import type { RuleDestination, SyncRule } from './rule.ts';

/** A secret by its metadata. */
export interface DescribedSecret {
  readonly name: string;
  readonly customMetadata: Readonly<Record<string, string>>;
  /** Its metadata forbids copies. */
  readonly neverSynced: boolean;
}

export const existingColumns = {
  ...pick(associationsTable, 'id', 'type', 'destination_id', 'secret_name', 'rule_id', 'desired'),
  ...pick(associationsTable, 'granularity', 'template', 'adopt'),
  destination_name: text,
};
/** An association that exists at a destination that is not being purged. */
export type Existing = RowOf<typeof existingColumns>;

/** What has to change so that the associations are as the rules say. */
export type Change<Rule extends DecidingRule = DecidingRule> =
  | {
      readonly kind: 'make';
      readonly secretName: string;
      readonly rule: Rule;
      readonly destination: RuleDestination;
      readonly form: Form;
    }
  | {
      readonly kind: 'end';
      readonly secretName: string;
      readonly id: string;
      readonly ruleId: string;
      /** Type and name. */
      readonly destination: string;
    };

/** How a rule sets an association. */
export interface Form {
  readonly granularity: string;
  readonly template: string;
  readonly adopt: boolean;
}

/** A rule as decisions need it. */
export type DecidingRule = Pick<
  SyncRule,
  | 'id'
  | 'state'
  | 'keeps'
  | 'renews'
  | 'prefix'
  | 'glob'
  | 'custom_metadata'
  | 'granularity'
  | 'template'
  | 'adopt'
  | 'destinations'
>;

export interface Deciding<Rule extends DecidingRule> {
  readonly definitions: readonly DestinationDefinition[];
  /** The rules of the mount, in the order in which they have precedence. */
  readonly rules: readonly Rule[];
  /** The secrets to decide about, whether they exist or not. */
  readonly names: readonly string[];
  readonly secrets: readonly DescribedSecret[];
  readonly existing: readonly Existing[];
}

/**
 * Compares the associations with the rules, secret by secret. An association that a request made is never touched. One that a rule made
 * is ended when no rule selects it any more; when another rule does, it becomes that rule's. A suspended rule changes nothing.
 */
export function decide<Rule extends DecidingRule>({
  definitions,
  rules,
  names,
  secrets,
  existing,
}: Deciding<Rule>): readonly Change<Rule>[] {
  const active = rules.filter(({ state }) => state === 'active').map((rule) => ({ rule, selects: selector(rule) }));
  const frozen = new Set(rules.filter(isFrozen).map(({ id }) => id));
  const described = new Map(secrets.map((secret) => [secret.name, secret]));
  const existingOf = Map.groupBy(existing, ({ secret_name }) => secret_name);
  return names.flatMap((secretName) => {
    const secret = described.get(secretName);
    const selecting = secret === undefined ? [] : active.filter(({ selects }) => selects(secret));
    const known = existingOf.get(secretName) ?? [];
    const ends = known.flatMap((one): readonly Change<Rule>[] =>
      one.desired === 'present' &&
      one.rule_id !== null &&
      !frozen.has(one.rule_id) &&
      !selecting.some(({ rule }) => rule.destinations.some(({ id }) => id === one.destination_id))
        ? [
            {
              kind: 'end',
              secretName,
              id: one.id,
              ruleId: one.rule_id,
              destination: `${one.type}/${one.destination_name}`,
            },
          ]
        : [],
    );
    return [
      ...ends,
      ...makes(
        definitions,
        secretName,
        selecting.map(({ rule }) => rule),
        known,
        frozen,
      ),
    ];
  });
}

/** It ends none of its associations. */
const isFrozen = ({ state, keeps }: DecidingRule): boolean => state === 'suspended' || (state === 'deleting' && keeps);

function makes<Rule extends DecidingRule>(
  definitions: readonly DestinationDefinition[],
  secretName: string,
  rules: readonly Rule[],
  known: readonly Existing[],
  frozen: ReadonlySet<string>,
): readonly Change<Rule>[] {
  const at = new Map(known.map((one) => [one.destination_id, one]));
  const taken = new Set<string>();
  return rules.flatMap((rule) =>
    rule.destinations.flatMap((destination): readonly Change<Rule>[] => {
      const there = at.get(destination.id);
      const isPresent = there?.desired === 'present';
      if (isPresent && (there.rule_id === null || frozen.has(there.rule_id))) return [];
      const isOther = isPresent && there.rule_id !== rule.id;
      // The rule that made it keeps it as long as it selects it.
      if (isOther && rules.some(({ id, destinations }) => id === there.rule_id && includes(destinations, destination)))
        return [];
      if (taken.has(destination.id)) return [];
      taken.add(destination.id);
      const form = formOf(definitions, rule, destination);
      if (isPresent && !isOther && !(rule.renews && differs(there, form))) return [];
      return [{ kind: 'make', secretName, rule, destination, form }];
    }),
  );
}

const includes = (destinations: readonly RuleDestination[], { id }: RuleDestination): boolean =>
  destinations.some((one) => one.id === id);

const differs = (there: Existing, { granularity, template, adopt }: Form): boolean =>
  there.granularity !== granularity || there.template !== template || there.adopt !== adopt;

/** The template of the destination is that of its own granularity. */
export function formOf(
  definitions: readonly DestinationDefinition[],
  rule: Pick<SyncRule, 'granularity' | 'template' | 'adopt'>,
  { type, granularity: usual, template: own }: RuleDestination,
): Form {
  const definition = definitions.find((one) => one.type === type);
  const granularity = (rule.granularity ?? usual) as Granularity;
  const template = rule.template ?? (granularity === usual ? own : null);
  const effective = definition === undefined ? (template ?? '') : templateOf(definition, template, granularity);
  return { granularity, template: effective, adopt: rule.adopt };
}

type Selecting = Pick<SyncRule, 'prefix' | 'glob' | 'custom_metadata'>;

/** Whether a rule selects a secret: all that it says about the path and the custom metadata holds. */
export function selector({ prefix, glob, custom_metadata }: Selecting): (secret: DescribedSecret) => boolean {
  const matches = glob === null ? undefined : compileGlob(glob);
  const pairs = Object.entries(custom_metadata);
  return ({ name, customMetadata, neverSynced }) =>
    !neverSynced &&
    name.startsWith(prefix) &&
    pairs.every(([key, value]) => Object.hasOwn(customMetadata, key) && customMetadata[key] === value) &&
    (matches === undefined || matches(name));
}
