import { AppError } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { type Change, type DecidingRule, decide, selector } from '../../rules/decide.ts';
import type { SyncRule } from '../../rules/rule.ts';
import { existingOf, rulesOf } from '../../rules/statements.ts';
import { type HeldPlace, heldPage, heldStart } from '../../rules/walk.ts';
import type { SyncParts } from '../parts.ts';
import { requireSecretRead } from '../rights/secret-read.ts';

/** Secrets that a request looks at. Behind them, the rights are checked by the sweep alone. */
const lookedMax = 100_000;
/** Names that one statement reads. Their rights are checked before the next one, so that other requests have their turn. */
const pageSize = 1_000;

export interface Surveyed {
  /** Secrets below the prefix. */
  readonly looked: number;
  /** Those that the rule selects. */
  readonly selected: number;
  /** False when there are more secrets than were looked at. */
  readonly exact: boolean;
}

/**
 * Looks at the secrets below the prefix of a rule. The caller must be allowed to read each that it selects.
 *
 * @param seen called with each page
 * @throws AppError `permission-denied` that does not name the secret: the caller may not know that it exists
 */
export async function survey(
  parts: SyncParts,
  rule: Pick<SyncRule, 'prefix' | 'glob' | 'custom_metadata'>,
  mount: Mount,
  context: RequestContext,
  seen: (names: readonly string[]) => Promise<void> = async () => {},
): Promise<Surveyed> {
  const selects = selector(rule);
  let [looked, selected, after] = [0, 0, ''];
  for (;;) {
    const page = await parts.describeBelow(mount.id, rule.prefix, after, pageSize);
    const names = page.filter(selects).map(({ name }) => name);
    for (const name of names) await requireSecretRead(parts, context, mount, name).catch(withoutName);
    await seen(names);
    looked += page.length;
    selected += names.length;
    after = page.at(-1)?.name ?? after;
    const isOver = page.length < pageSize;
    if (isOver || looked >= lookedMax || context.signal.aborted) return { looked, selected, exact: isOver };
  }
}

function withoutName(cause: unknown): never {
  if (!(cause instanceof AppError) || cause.kind !== 'permission-denied') throw cause;
  const text = 'permission denied to read the content of every secret that the rule selects';
  throw new AppError('permission-denied', text, { cause });
}

/** Changes that a dry run names. */
const shownMax = 20;

interface Shown {
  readonly secret_name: string;
  readonly destination: string;
}

/** What storing the rule would set and unset now. What it would unset is shown and counted as far as the caller may read the secrets. */
export async function dryRun(
  parts: SyncParts,
  rule: DecidingRule & Pick<SyncRule, 'name'>,
  mount: Mount,
  context: RequestContext,
): Promise<object> {
  const { store } = parts;
  const others = (await rulesOf(store.db, mount.id)).filter(({ id }) => id !== rule.id);
  const rules = [...others, rule].sort((one, other) => (one.name < other.name ? -1 : 1));
  const [set, unset] = [listed(), listed()];
  const decided = async (mountId: string, names: readonly string[]): Promise<readonly Change[]> => {
    const secrets = await parts.describeSecrets(store.db, mountId, names);
    const existing = await existingOf(store.db, mountId, names);
    return decide({ ...parts, rules: mountId === mount.id ? rules : [], names, secrets, existing });
  };
  const found = await survey(parts, rule, mount, context, async (names) => {
    for (const change of await decided(mount.id, names))
      if (change.kind === 'make' && change.rule.id === rule.id)
        set.add({
          secret_name: change.secretName,
          destination: `${change.destination.type}/${change.destination.name}`,
        });
  });
  const mayRead = async (name: string) =>
    requireSecretRead(parts, context, mount, name).then(
      () => true,
      () => false,
    );
  for (let place: HeldPlace | undefined = heldStart; place !== undefined && !context.signal.aborted; ) {
    const page = await heldPage(store.db, rule.id, place);
    const changes = await decided(page.mountId, page.names);
    for (const change of changes)
      if (change.kind === 'end' && change.ruleId === rule.id && (await mayRead(change.secretName)))
        unset.add({ secret_name: change.secretName, destination: change.destination });
    const last = page.names.at(-1);
    place = last === undefined ? undefined : { mountId: page.mountId, secretName: last };
  }
  return {
    dry_run: true,
    selected: found.selected,
    exact: found.exact,
    would_set: set.count(),
    would_unset: unset.count(),
    set: set.first,
    unset: unset.first,
  };
}

function listed() {
  const first: Shown[] = [];
  let count = 0;
  return {
    first,
    count: () => count,
    add(one: Shown) {
      count += 1;
      if (first.length < shownMax) first.push(one);
    },
  };
}
