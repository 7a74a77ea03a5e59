import { badField, permissionDenied } from '#core/errors.ts';
import { isWithin, type Namespace, type NamespaceDirectory } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text, textList } from '#path/fields.ts';
import { canonicalPath, type TypeNames } from '#path/vocabulary.ts';
import type { Store } from '#store/store.ts';
import { capabilitiesOn } from '../../policy/decide.ts';
import type { Acls } from '../../policy/store/acls.ts';
import { type Holder, holderOfRow } from '../../policy/store/holder.ts';
import { type FindToken, tokenFinder } from '../find/find.ts';
import { findByAccessor, type TokenRow } from '../find/store.ts';

export interface CapabilityParts {
  readonly store: Store;
  readonly acls: Acls;
  readonly typeNames: TypeNames;
  readonly namespaces: NamespaceDirectory;
}

interface Parts extends CapabilityParts {
  readonly find: FindToken;
}

const pathFields = {
  paths: textList().optional().meta({ description: 'Paths below /v1/' }),
  path: textList().optional().meta({ description: 'Old name of paths, which takes precedence', formerNameOf: 'paths' }),
};
const tokenField = text().default('').meta({ description: 'The token to check', sensitive: true });
const accessorField = text().default('').meta({ description: 'Accessor of the token to check' });

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
          summary: 'Read the capabilities of a token on paths',
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
        // Clients send their own token as well.
        { ...pathFields, token: tokenField },
        {
          summary: 'Read the capabilities of the caller on paths',
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
    help: 'Shows what the token with an accessor may do on paths.',
    operations: {
      write: operation(
        { ...pathFields, accessor: accessorField },
        {
          summary: 'Read the capabilities of a token on paths by its accessor',
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

/** The reply contains each path as it was sent. A single path appears under `capabilities` as well. */
async function answer(
  parts: Parts,
  { paths = [], path = [] }: AskedPaths,
  holder: Holder,
  namespace: Namespace,
): Promise<Reply> {
  const asked = paths.length > 0 ? paths : path;
  if (asked.length === 0) throw badField('paths', 'paths must be supplied');
  const capabilities = await capabilitiesOf(parts, holder, namespace);
  const found = await Promise.all(asked.map(async (one) => [one, await capabilities(one)] as const));
  const [only] = found;
  const data = Object.fromEntries(found.length === 1 && only ? [...found, ['capabilities', only[1]]] : found);
  return { data, flat: true };
}

/** What a holder may do on paths of a namespace. */
async function capabilitiesOf({ acls, namespaces, typeNames }: Parts, holder: Holder, namespace: Namespace) {
  if (isWithin(namespace, holder.namespace) && holder.policies.includes('root')) return async () => ['root'];
  const acl = await acls.of(holder);
  return async (given: string) => {
    const place = await namespaces.locate(namespace.path, given.replace(/^\/+/, ''));
    return place === undefined
      ? ['deny']
      : capabilitiesOn(acl, place.namespace.path + canonicalPath(typeNames, place.path));
  };
}

async function byToken(parts: Parts, token: string): Promise<Holder> {
  if (token === '') throw badField('token', 'missing token');
  return holderOf(parts, await parts.find(new Secret(token)), 'token');
}

/** The token with an accessor. @throws AppError `bad-request` */
export async function byAccessor(parts: CapabilityParts, accessor: string): Promise<Holder> {
  if (accessor === '') throw badField('accessor', 'missing accessor');
  // PostgreSQL cannot compare with U+0000.
  const row = accessor.includes('\0') ? undefined : await findByAccessor(parts.store, accessor);
  return holderOf(parts, row, 'accessor');
}

async function holderOf(
  { acls, namespaces }: CapabilityParts,
  row: TokenRow | undefined,
  field: 'token' | 'accessor',
): Promise<Holder> {
  const namespace = row && (await namespaces.namespaceOf(row.namespace_id));
  if (row === undefined || namespace === undefined) throw badField(field, `invalid ${field}`);
  acls.seenRevision(row.policies_revision);
  return holderOfRow(row, namespace);
}
