import type { ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { lockedUsers, unlock } from './store.ts';

/** Bound of one reply. */
const listedMax = 10_000;

/** `sys/locked-users`: lists and unlocks users who are locked out. */
export const lockoutRows = (store: Store): readonly Row[] => [
  {
    pattern: 'locked-users',
    help: 'Lists users who are locked out after wrong credentials.',
    operations: {
      read: operation(
        { mount_accessor: text(512).default('').meta({ description: 'Return only users of this mount' }) },
        {
          summary: 'List locked users',
          run: ({ mount_accessor }, context) => listLocked(store, mount_accessor, context),
        },
      ),
    },
  },
  {
    pattern: 'locked-users/:mount_accessor/unlock/*alias_identifier',
    help: 'Unlocks a user who is locked out.',
    operations: {
      write: operation(
        {
          mount_accessor: pathText('Accessor of the auth mount'),
          alias_identifier: pathText('User name or role id at the mount'),
        },
        {
          summary: 'Unlock a user',
          knownFieldsOnly: true,
          async run({ mount_accessor, alias_identifier }, { namespace }) {
            await unlock(store, namespace.id, mount_accessor, alias_identifier);
            return undefined;
          },
        },
      ),
    },
  },
];

async function listLocked(store: Store, accessor: string, { namespace }: RequestContext): Promise<ReplyContent> {
  const found = await lockedUsers(store, { namespaceId: namespace.id, accessor, limit: listedMax + 1 });
  const shown = found.slice(0, listedMax);
  const byMount = Map.groupBy(shown, (one) => one.accessor);
  const mount_accessors = [...byMount].map(([mount_accessor, users]) => ({
    mount_accessor,
    counts: users.length,
    alias_identifiers: users.map(({ alias }) => alias),
  }));
  const own = { namespace_id: namespace.id, namespace_path: namespace.path, counts: shown.length, mount_accessors };
  return {
    data: { by_namespace: shown.length === 0 ? [] : [own], total: shown.length },
    ...(found.length > listedMax ? { warnings: [`Only the first ${listedMax} are shown`] } : {}),
  };
}
