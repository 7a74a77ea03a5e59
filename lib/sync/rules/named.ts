import { badField } from '#core/errors.ts';
import type { Store } from '#store/store.ts';
import type { RecordFilter } from '../records/filter.ts';
import { loadRule } from './store.ts';

/** A filter with the id of the rule that it names. @throws AppError `bad-request` when the namespace has no such rule */
export async function withRule(
  { store }: { readonly store: Pick<Store, 'db'> },
  filter: RecordFilter,
  namespaceId: string,
): Promise<RecordFilter> {
  if (filter.rule === undefined) return filter;
  const rule = await loadRule(store, namespaceId, filter.rule);
  if (rule === undefined) throw badField('rule', `no rule ${JSON.stringify(filter.rule)}: sys/sync/rules lists them`);
  return { ...filter, ruleId: rule.id };
}
