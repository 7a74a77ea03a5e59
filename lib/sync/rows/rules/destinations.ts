import { AppError, badField } from '#core/errors.ts';
import type { Granularity } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { definitionOf } from '../../model/definition.ts';
import { formOf } from '../../rules/decide.ts';
import { setPath } from '../../rules/rights.ts';
import { type RuleDestination, ruleDestinationColumns } from '../../rules/rule.ts';
import { checkTemplate } from '../../template/naming.ts';
import type { SyncParts } from '../parts.ts';
import type { GivenRule } from './fields.ts';

/**
 * The destinations of a rule. The caller must be allowed to associate secrets with each.
 * @throws AppError `permission-denied`, or `bad-request` for one that does not exist, is being deleted, or does not fit the template
 */
export async function ruleDestinations(
  parts: SyncParts,
  input: GivenRule,
  context: RequestContext,
): Promise<readonly RuleDestination[]> {
  if (input.destinations.length === 0) throw badField('destinations', 'destinations cannot be empty');
  const named = input.destinations.map((given) => namedBy(parts, given, context));
  for (const { type, name } of named) await mustBeAllowed(context, type, name);
  const found = await loadAll(parts, context.namespace.id, named);
  return found.map((destination) => {
    const { granularity, template } = formOf(parts.definitions, settingsOf(input), destination);
    checkTemplate(template, granularity as Granularity);
    return destination;
  });
}

/** How the rule sets associations. */
export const settingsOf = ({ granularity, secret_name_template, adopt }: GivenRule) => ({
  granularity: granularity === '' ? null : granularity,
  template: secret_name_template === '' ? null : secret_name_template,
  adopt,
});

interface Named {
  readonly type: string;
  readonly name: string;
}

function namedBy({ definitions }: SyncParts, given: string, { vocabulary }: RequestContext): Named {
  const [type = '', name = '', ...more] = given.split('/');
  if (type === '' || name === '' || more.length > 0)
    throw badField('destinations', `${JSON.stringify(given)} is not type/name of a destination`);
  return { type: definitionOf(definitions, type, vocabulary, 'destinations').type, name };
}

async function mustBeAllowed(context: RequestContext, type: string, name: string): Promise<void> {
  try {
    await context.mustBeAllowed('write', setPath(type, name));
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
    throw new AppError('permission-denied', `permission denied to associate secrets with ${type}/${name}`, { cause });
  }
}

async function loadAll({ store }: SyncParts, namespaceId: string, named: readonly Named[]) {
  const { rows } = await rowsOf({
    ...ruleDestinationColumns,
    purge_initiated_at: nullable(timestamptz),
    id: text,
  })`
    select d.id::text as id, d.type, d.name, d.granularity, d.template, d.purge_initiated_at from destinations d
     where d.namespace_id = ${namespaceId}
       and (d.type, d.name) in (select * from unnest(${named.map(({ type }) => type)}::text[], ${named.map(({ name }) => name)}::text[]))
     order by d.type, d.name`.execute(store.db);
  for (const { type, name } of named) {
    const there = rows.find((row) => row.type === type && row.name === name);
    if (there === undefined)
      throw badField('destinations', (word) => `no destination ${JSON.stringify(name)} of type ${word(type)}`);
    if (there.purge_initiated_at !== null)
      throw badField('destinations', `the destination ${JSON.stringify(name)} is being deleted`);
  }
  return rows.map(({ purge_initiated_at: _purge, ...destination }) => destination);
}
