import type { Vocabulary } from '#path/contract/request.ts';
import { storedTypeIn } from '../../model/definition.ts';
import { errorStatuses } from '../../model/status.ts';
import { countedMax, type RuleCount, type ShownRule } from '../../rules/store.ts';
import type { SyncParts } from '../parts.ts';

type Definitions = SyncParts['definitions'];

/** A rule as reads show it. */
export function ruleView(
  definitions: Definitions,
  rule: ShownRule,
  counts: readonly RuleCount[],
  vocabulary: Vocabulary,
): object {
  const { owner } = rule;
  return {
    name: rule.name,
    ...ruleLine(definitions, rule, vocabulary),
    custom_metadata: rule.custom_metadata,
    granularity: rule.granularity,
    secret_name_template: rule.template,
    adopt: rule.adopt,
    owner: { display_name: owner.display_name, entity_id: owner.entity_id, policies: owner.policies },
    progress: progressOf(rule),
    counts: countsOf(counts),
    created_at: rule.created_at.toISOString(),
    updated_at: rule.updated_at.toISOString(),
    evaluated_at: rule.walked_at?.toISOString() ?? null,
  };
}

/** A rule as the list shows it. */
export function ruleLine(definitions: Definitions, rule: ShownRule, vocabulary: Vocabulary) {
  const isHomeless = rule.current_path === null && rule.state !== 'deleting';
  return {
    mount: (rule.current_path ?? rule.mount_path).replace(/\/$/, ''),
    prefix: rule.prefix,
    glob: rule.glob,
    destinations: rule.destinations.map(({ type, name }) => `${storedTypeIn(definitions, type, vocabulary)}/${name}`),
    state: isHomeless ? 'suspended' : rule.state,
    reason: isHomeless ? 'its mount was deleted' : rule.reason,
  };
}

/** How far the walk is that begins when a rule is stored. */
const progressOf = ({ walk, walked, total }: ShownRule) => ({
  evaluating: walk !== null,
  looked: walked,
  total: Math.max(total, walked),
  share: walk === null || total === 0 ? (walk === null ? 1 : 0) : Math.min(1, walked / total),
});

function countsOf(counts: readonly RuleCount[]) {
  const sum = (...statuses: readonly string[]) =>
    counts.filter(({ status }) => statuses.includes(status)).reduce((all, { count }) => all + count, 0);
  const total = counts.reduce((all, { count }) => all + count, 0);
  return {
    total,
    total_is_exact: total < countedMax,
    synced: sum('SYNCED'),
    pending: sum('PENDING'),
    unsynced: sum('UNSYNCED'),
    failed: sum(...errorStatuses),
  };
}
