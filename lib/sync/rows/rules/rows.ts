import { notFound, permissionDenied } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import type { Caller, RequestContext } from '#path/contract/request.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import { bool } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import type { RuleOwner, SyncRule } from '../../rules/rule.ts';
import { beginDeletion, countRule, listRules, loadRule, saveRule } from '../../rules/store.ts';
import { findMount } from '../associations/rows.ts';
import { pageOf, shortFields } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import { requireSecretRead } from '../rights/secret-read.ts';
import { ruleDestinations, settingsOf } from './destinations.ts';
import { type GivenRule, ruleFields, ruleName, selectionOf } from './fields.ts';
import { readableRule } from './readable.ts';
import { dryRun, survey } from './survey.ts';
import { ruleLine, ruleView } from './view.ts';

/** The rows below `sys/sync/rules`. */
export function ruleRows(parts: SyncParts): readonly Row[] {
  return [
    {
      pattern: 'sync/rules/',
      help: 'Lists the standing rules of the namespace. Destinations whose associations the caller may not read are left out.',
      operations: {
        list: operation(shortFields, {
          summary: 'List standing rules',
          run: (page, context) => list(parts, page, context),
        }),
      },
    },
    {
      pattern: 'sync/rules/:rule',
      help: 'Associates secrets with destinations by a standing rule, now and as they are written, and ends the associations that the rule made when it no longer selects the secrets.',
      operations: {
        read: operation(ruleName, {
          summary: 'Read a standing rule and how far it is',
          run: async ({ rule }, context) => ({ data: await show(parts, rule, context) }),
        }),
        write: operation(ruleFields, {
          summary: 'Set a standing rule, or show what it would set and unset',
          knownFieldsOnly: true,
          replies: accepted,
          run: (input, context) => store(parts, input, context),
        }),
        delete: operation(
          {
            ...ruleName,
            keep: bool()
              .default(false)
              .meta({ description: 'Keep the associations that the rule made, as if requests had made them' }),
          },
          {
            summary: 'Delete a standing rule, and end the associations that it made',
            replies: accepted,
            run: ({ rule, keep }, context) => remove(parts, rule, keep, context),
          },
        ),
      },
    },
  ];
}

async function list(parts: SyncParts, page: Page, context: RequestContext): Promise<Reply> {
  const rules = await listRules(parts.store, context.namespace.id);
  const rest = page.after === '' ? rules : rules.filter(({ name }) => name > page.after);
  const { shown, more } = pageOf(rest, page, ({ name }) => name);
  if (shown.length === 0) return undefined;
  const readable = await Promise.all(shown.map((rule) => readableRule(rule, context)));
  const lines = readable.map((rule) => [rule.name, ruleLine(parts.definitions, rule, context.vocabulary)] as const);
  return { data: { keys: shown.map(({ name }) => name), key_info: Object.fromEntries(lines), ...more } };
}

/** Destinations whose associations the caller may not read are neither shown nor counted. */
async function show(parts: SyncParts, name: string, context: RequestContext): Promise<object> {
  const found = await loadRule(parts.store, context.namespace.id, name);
  if (found === undefined) throw notFound();
  const rule = await readableRule(found, context);
  const counts = await countRule(parts.store, rule.id);
  const readable = new Set(rule.destinations.map((one) => `${one.type}/${one.name}`));
  const shown = counts.filter((count) => readable.has(`${count.type}/${count.name}`));
  return ruleView(parts.definitions, rule, shown, context.vocabulary);
}

/** The rights that `associations/set` needs are those of the caller now, and those of the owner, which the caller becomes, at each use. */
async function store(parts: SyncParts, input: GivenRule, context: RequestContext): Promise<Reply | Accepted> {
  const { namespace, caller } = context;
  const selection = selectionOf(input);
  const mount = await findMount(parts, input.mount, context);
  await mustBeSynced(parts, mount, context);
  const destinations = await ruleDestinations(parts, input, context);
  if (caller === undefined) throw permissionDenied();
  const settings = settingsOf(input);
  if (input.dry_run === true) {
    const before = await loadRule(parts.store, namespace.id, input.rule);
    const rule = { id: before?.id ?? unstored, name: input.rule, state: 'active' as const, keeps: false };
    const candidate = { ...rule, ...selection, ...settings, destinations, renews: renews(before, settings) };
    return { data: await dryRun(parts, candidate, mount, context) };
  }
  const { looked } = await survey(parts, selection, mount, context);
  await saveRule(parts.store, {
    ...settings,
    owner: ownerOf(caller),
    namespaceId: namespace.id,
    name: input.rule,
    mount,
    prefix: selection.prefix,
    glob: selection.glob,
    customMetadata: selection.custom_metadata,
    destinationIds: destinations.map(({ id }) => id),
    total: looked,
  });
  return { status: 202, data: await show(parts, input.rule, context) };
}

/** @throws AppError `bad-request` when secrets of the mount cannot be synced */
async function mustBeSynced(parts: SyncParts, mount: Mount, context: RequestContext): Promise<void> {
  if (parts.readPath(mount, '') === undefined) await requireSecretRead(parts, context, mount, '');
}

const ownerOf = ({ namespace, policies, entityId, displayName }: Caller): RuleOwner => ({
  namespace_id: namespace.id,
  policies,
  entity_id: entityId,
  display_name: displayName,
});

/** No stored rule has this id. */
const unstored = '0';

const renews = (before: SyncRule | undefined, after: Pick<SyncRule, 'granularity' | 'template' | 'adopt'>): boolean =>
  before !== undefined &&
  (before.renews ||
    before.granularity !== after.granularity ||
    before.template !== after.template ||
    before.adopt !== after.adopt);

async function remove(parts: SyncParts, name: string, keep: boolean, context: RequestContext): Promise<Accepted> {
  if ((await loadRule(parts.store, context.namespace.id, name)) === undefined) throw notFound();
  await beginDeletion(parts.store, context.namespace.id, name, keep);
  return { status: 202, data: await show(parts, name, context) };
}
