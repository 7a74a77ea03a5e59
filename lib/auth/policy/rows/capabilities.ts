import { badRequest, permissionDenied } from '../../../core/errors.ts';
import { Secret } from '../../../core/secret.ts';
import { text, textList } from '../../../path/fields.ts';
import { operation, type Reply, type Row } from '../../../path/row.ts';
import { canonicalPath } from '../../../path/vocabulary.ts';
import type { Store } from '../../../store/store.ts';
import { type FindToken, tokenFinder } from '../../token/find.ts';
import { findByAccessor, type TokenRow } from '../../token/store.ts';
import { capabilitiesOn } from '../decide.ts';
import type { Acls } from '../store/acls.ts';
import { type Holder, holderOfRow } from '../store/holder.ts';

interface CapabilityParts {
  readonly store: Store;
  readonly acls: Acls;
}

interface Parts extends CapabilityParts {
  readonly find: FindToken;
}

const pathFields = {
  paths: textList().optional().meta({ description: 'Paths below /v1/' }),
  path: textList().optional().meta({ description: 'Old name of paths, which wins' }),
};
const tokenField = text().default('').meta({ description: 'The token that is asked about', sensitive: true });
const accessorField = text().default('').meta({ description: 'Accessor of the token that is asked about' });

/** `sys/capabilities`, `sys/capabilities-self` and `sys/capabilities-accessor`: what a token may do on paths. */
export const capabilityRows = (parts: CapabilityParts): readonly Row[] =>
  rowsOf({ ...parts, find: tokenFinder(parts.store) });

const rowsOf = (parts: Parts): readonly Row[] => [
  {
    pattern: 'capabilities',
    help: 'Shows what a token may do on paths.',
    operations: {
      write: operation(
        { ...pathFields, token: tokenField },
        {
          summary: 'Capabilities of a token on paths.',
          run: async (input) => answer(parts, input, await byToken(parts, input.token)),
        },
      ),
    },
  },
  {
    pattern: 'capabilities-self',
    help: 'Shows what the caller may do on paths.',
    operations: {
      write: operation(
        // Clients send their own token along.
        { ...pathFields, token: tokenField },
        {
          summary: 'Capabilities of the caller on paths.',
          async run(input, { caller }) {
            if (caller === undefined) throw permissionDenied();
            return answer(parts, input, caller);
          },
        },
      ),
    },
  },
  {
    pattern: 'capabilities-accessor',
    help: 'Shows what the token of an accessor may do on paths.',
    operations: {
      write: operation(
        { ...pathFields, accessor: accessorField },
        {
          summary: 'Capabilities of the token of an accessor on paths.',
          run: async (input) => answer(parts, input, await byAccessor(parts, input.accessor)),
        },
      ),
    },
  },
];

interface AskedPaths {
  readonly paths?: readonly string[] | undefined;
  readonly path?: readonly string[] | undefined;
}

/** Paths stand in the reply as they were asked for. One alone is answered under `capabilities` as well. */
async function answer({ acls }: Parts, { paths = [], path = [] }: AskedPaths, holder: Holder): Promise<Reply> {
  const asked = paths.length > 0 ? paths : path;
  if (asked.length === 0) throw badRequest('paths must be supplied');
  const acl = holder.policies.includes('root') ? undefined : await acls.of(holder);
  const found = asked.map((one) => [one, acl === undefined ? ['root'] : capabilitiesOn(acl, pathOf(one))] as const);
  const [only] = found;
  const data = Object.fromEntries(found.length === 1 && only ? [...found, ['capabilities', only[1]]] : found);
  return { data, flat: true };
}

const pathOf = (given: string): string => canonicalPath(given.replace(/^\/+/, ''));

async function byToken({ find, acls }: Parts, token: string): Promise<Holder> {
  if (token === '') throw badRequest('missing token');
  return holderOf(acls, await find(new Secret(token)), 'invalid token');
}

async function byAccessor({ store, acls }: Parts, accessor: string): Promise<Holder> {
  if (accessor === '') throw badRequest('missing accessor');
  // PostgreSQL takes no U+0000.
  const row = accessor.includes('\0') ? undefined : await findByAccessor(store, accessor);
  return holderOf(acls, row, 'invalid accessor');
}

function holderOf(acls: Acls, row: TokenRow | undefined, problem: string): Holder {
  if (row === undefined) throw badRequest(problem);
  acls.seenRevision(row.policies_revision);
  return holderOfRow(row);
}
