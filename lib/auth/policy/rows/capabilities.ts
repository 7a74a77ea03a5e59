import { badRequest, permissionDenied } from '../../../core/errors.ts';
import { isWithin, type Namespace, type NamespaceDirectory, onlyRoot } from '../../../core/namespace.ts';
import { Secret } from '../../../core/secret.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { text, textList } from '../../../path/fields.ts';
import { canonicalPath } from '../../../path/vocabulary.ts';
import type { Store } from '../../../store/store.ts';
import { type FindToken, tokenFinder } from '../../token/find/find.ts';
import { findByAccessor, type TokenRow } from '../../token/find/store.ts';
import { capabilitiesOn } from '../decide.ts';
import type { Acls } from '../store/acls.ts';
import { type Holder, holderOfRow } from '../store/holder.ts';

export interface CapabilityParts {
  readonly store: Store;
  readonly acls: Acls;
  /** Absent: there is the root alone. */
  readonly namespaces?: NamespaceDirectory;
}

interface Parts extends CapabilityParts {
  readonly find: FindToken;
}

const pathFields = {
  paths: textList().optional().meta({ description: 'Paths below /v1/' }),
  path: textList().optional().meta({ description: 'Old name of paths, which wins', formerNameOf: 'paths' }),
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
          run: async (input, { namespace }) => answer(parts, input, await byToken(parts, input.token), namespace),
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
          async run(input, { caller, namespace }) {
            if (caller === undefined) throw permissionDenied();
            return answer(parts, input, caller, namespace);
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
          run: async (input, { namespace }) => answer(parts, input, await byAccessor(parts, input.accessor), namespace),
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
async function answer(
  parts: Parts,
  { paths = [], path = [] }: AskedPaths,
  holder: Holder,
  namespace: Namespace,
): Promise<Reply> {
  const asked = paths.length > 0 ? paths : path;
  if (asked.length === 0) throw badRequest('paths must be supplied');
  const capabilities = await capabilitiesOf(parts, holder, namespace);
  const found = await Promise.all(asked.map(async (one) => [one, await capabilities(one)] as const));
  const [only] = found;
  const data = Object.fromEntries(found.length === 1 && only ? [...found, ['capabilities', only[1]]] : found);
  return { data, flat: true };
}

/** What a holder may do on paths of a namespace. */
async function capabilitiesOf({ acls, namespaces = onlyRoot }: Parts, holder: Holder, namespace: Namespace) {
  if (isWithin(namespace, holder.namespace) && holder.policies.includes('root')) return async () => ['root'];
  const acl = await acls.of(holder);
  return async (given: string) => {
    const place = await namespaces.locate(namespace.path, given.replace(/^\/+/, ''));
    return place === undefined ? ['deny'] : capabilitiesOn(acl, place.namespace.path + canonicalPath(place.path));
  };
}

async function byToken(parts: Parts, token: string): Promise<Holder> {
  if (token === '') throw badRequest('missing token');
  return holderOf(parts, await parts.find(new Secret(token)), 'invalid token');
}

async function byAccessor(parts: Parts, accessor: string): Promise<Holder> {
  if (accessor === '') throw badRequest('missing accessor');
  // PostgreSQL takes no U+0000.
  const row = accessor.includes('\0') ? undefined : await findByAccessor(parts.store, accessor);
  return holderOf(parts, row, 'invalid accessor');
}

async function holderOf(
  { acls, namespaces = onlyRoot }: Parts,
  row: TokenRow | undefined,
  problem: string,
): Promise<Holder> {
  const namespace = row && (await namespaces.namespaceOf(row.namespace_id));
  if (row === undefined || namespace === undefined) throw badRequest(problem);
  acls.seenRevision(row.policies_revision);
  return holderOfRow(row, namespace);
}
