import type { RequestContext } from '#path/contract/request.ts';
import type { ShownRule } from '../../rules/store.ts';
import { readableOf } from '../rights/readable.ts';

/** A rule with those of its destinations whose associations the caller may read. */
export async function readableRule(
  rule: ShownRule,
  context: Pick<RequestContext, 'mustBeAllowed' | 'caller'>,
): Promise<ShownRule> {
  const destinations = await readableOf(context, rule.destinations);
  const hidden = rule.destinations.filter((one) => !destinations.includes(one));
  const isNamed = hidden.some(({ type, name }) => rule.reason?.endsWith(` ${type}/${name}`) === true);
  return { ...rule, destinations, reason: isNamed ? unnamed : rule.reason };
}

const unnamed = 'the policies of its owner do not allow associating secrets with one of its destinations';
