import { forbidden, notFound } from '#path/jsonapi/error.ts';
import type { Needs as AnyNeeds, FindNeeded, NeededBy } from '#path/jsonapi/row.ts';
import { isSiteAdmin } from '../standing.ts';
import { agent, job, taskResult } from './agents.ts';
import { notification } from './notifications.ts';
import { type Db, type Noun, noun } from './noun.ts';
import { membership, token, user } from './users.ts';
import { variableSet } from './variable-sets.ts';
import { organization, project, team, workspace } from './workspaces.ts';

/** The caller itself. */
const caller = noun(async (_store, asked) => asked.caller, {
  any: () => true,
  user: ({ kind }) => kind === 'user',
  /** The token of an organization, or the one that reads its audit trail. */
  organization: ({ kind }) => kind === 'organization' || kind === 'audit-trail',
  /** The token of an agent pool. */
  agents: ({ kind }) => kind === 'agents',
});

/** The whole installation. */
const site = noun(async () => undefined, { admin: (_found, asked) => isSiteAdmin(asked.caller) });

/** The row needs no token. */
const open = noun(async () => undefined, {
  everyone: () => true,
  /** The address grants its bearer one operation, which the handler reads from it. */
  'signed-address': () => true,
  /** The handler verifies the signature of the request. */
  'signed-request': () => true,
});

/** All kinds of resources that rows may be about. */
const nouns = {
  workspace,
  project,
  organization,
  team,
  user,
  membership,
  token,
  notification,
  caller,
  site,
  open,
  'variable-set': variableSet,
  agent,
  job,
  'task-result': taskResult,
};

type Nouns = typeof nouns;

/** What a row needs: one noun with one of its rights, such as `{ workspace: 'admin' }`. */
export type Needs = { [K in keyof Nouns]: { readonly [N in K]: keyof Nouns[K]['rights'] & string } }[keyof Nouns];

/** The handler's `found`: the resource that its row needs. */
export type FoundOf<N> = {
  [K in keyof Nouns]: N extends Readonly<Record<K, string>> ? Awaited<ReturnType<Nouns[K]['find']>> : never;
}[keyof Nouns];

/**
 * Finds what rows need. One rule holds for all of them: 404 when the resource does not exist, when the caller may not read it, and when the caller
 * lacks the right. Only the rights that a noun lists as forbidden give 403, and only to callers that may read the resource.
 */
export const needsFinder =
  (store: Db): FindNeeded =>
  (needs, asked) =>
    findNeeded(store, needs, asked);

/** The same for a caller that the request does not identify, such as the bearer of a signed address. @throws ApiError 404, 403 */
export const findFor = async <N extends Needs>(store: Db, needs: N, asked: NeededBy): Promise<FoundOf<N>> =>
  (await findNeeded(store, needs, asked)) as FoundOf<N>;

async function findNeeded(store: Db, needs: AnyNeeds, asked: NeededBy): Promise<unknown> {
  const [[name = '', right = ''] = []] = Object.entries(needs);
  const known: Noun<unknown, string> | undefined = Object.hasOwn(nouns, name)
    ? (nouns as unknown as Readonly<Record<string, Noun<unknown, string>>>)[name]
    : undefined;
  const isEnough = known?.rights[right];
  if (known === undefined || isEnough === undefined) throw new Error(`no such right: ${name} ${right}`);
  if (rightsOfTokens[asked.caller.kind]?.[name as keyof Nouns]?.includes(right) === false) throw notFound();
  const found = await known.find(store, asked);
  if (await isEnough(found, asked, store)) return found;
  throw known.forbidden.includes(right) ? forbidden() : notFound();
}

/**
 * Tokens that belong to an organization but have none of its rights can only do this. A token of audit trails reads them, one of agents takes
 * work, that of a run does the work and reaches the states that its workspace may use, and that of a task reports its result and reads its run.
 */
const rightsOfTokens: Readonly<
  Partial<Record<NeededBy['caller']['kind'], Readonly<Record<keyof Nouns, readonly string[]>>>>
> = {
  'audit-trail': { ...none(), caller: ['organization'] },
  agents: { ...none(), caller: ['agents'], agent: ['work'] },
  run: {
    ...none(),
    job: ['work'],
    organization: ['entitlements'],
    workspace: ['read', 'read-outputs', 'read-states', 'write-states'],
  },
  task: { ...none(), 'task-result': ['report'], workspace: ['read-plan-json', 'read-configuration'] },
};

function none(): Readonly<Record<keyof Nouns, readonly string[]>> {
  return Object.fromEntries(Object.keys(nouns).map((name) => [name, []])) as never;
}

/** Whether callers that may read the resource get 403 when they lack the right. */
export const isForbidden = (needs: AnyNeeds): boolean =>
  Object.entries(needs).some(([name, right]) =>
    Object.entries(nouns as unknown as Readonly<Record<string, Noun<unknown, string>>>).some(
      ([known, { forbidden: rights }]) => known === name && rights.includes(right),
    ),
  );
