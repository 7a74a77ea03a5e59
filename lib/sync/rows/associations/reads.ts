import { badRequest, notFound } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText, text } from '../../../path/fields.ts';
import { typeName } from '../../../path/vocabulary.ts';
import { definitionOf } from '../../definition.ts';
import { loadDestination } from '../destinations/store.ts';
import type { SyncParts } from '../parts.ts';
import { withOwnKeys } from './record-keys.ts';
import { cut, type ListedSecret, listSecrets, loadAssociations, ofDestination, ofPath } from './store.ts';
import { associatedSecrets, shownRecords } from './view.ts';

/** The reads of associations. */
export function associationReadRows(parts: SyncParts): readonly Row[] {
  return [
    {
      pattern: 'sync/destinations/:type/:name/associations',
      help: 'The secrets associated with a destination, each with the state of its copy.',
      operations: {
        read: operation(
          { type: pathText('Destination type'), name: pathText('Name of the destination') },
          {
            summary: 'Read the associations of a destination',
            run: ({ type, name }, context) => ofOneDestination(parts, type, name, context),
          },
        ),
      },
    },
    {
      pattern: 'sync/associations/',
      help: 'Every secret that is associated with a destination.',
      operations: {
        list: operation({}, { summary: 'List associated secrets', run: (_input, context) => listAll(parts, context) }),
      },
    },
    {
      pattern: 'sync/associations/destinations',
      help: 'The destinations of a secret. This form takes mounts and secret names with slashes.',
      operations: {
        read: operation(
          {
            mount: text().meta({ description: 'Path of the mount' }),
            secret_name: text().meta({ description: 'Path of the secret below the mount' }),
          },
          {
            summary: 'Read the destinations of a secret',
            run: ({ mount, secret_name }, context) => ofOneSecret(parts, mount, secret_name, context),
          },
        ),
      },
    },
    {
      pattern: 'sync/associations/:mount/*name',
      help: 'The destinations of a secret.',
      operations: {
        read: operation(
          { mount: pathText('Path of the mount'), name: pathText('Path of the secret') },
          {
            summary: 'Read the destinations of a secret',
            run: ({ mount, name }, context) => ofOneSecret(parts, mount, name, context),
          },
        ),
      },
    },
  ];
}

type Asking = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn'>;

/** An empty destination answers an empty object: clients count on it. */
async function ofOneDestination(
  parts: SyncParts,
  type: string,
  name: string,
  { namespace, vocabulary, warn }: Asking,
): Promise<Reply> {
  const definition = definitionOf(parts.definitions, type, vocabulary);
  const destination = await loadDestination(parts.store, parts.store.db, {
    ...{ namespace_id: namespace.id, type: definition.type, name },
  });
  if (destination === undefined) throw notFound();
  const associations = await loadAssociations(parts.store, ofDestination(destination.id));
  const shown = associatedSecrets(cut(associations, 'associations of this destination', warn), vocabulary);
  return { data: { ...shown, store_name: name, store_type: typeName(definition.type, vocabulary) } };
}

async function ofOneSecret(
  parts: SyncParts,
  mount: string,
  secretName: string,
  { namespace, vocabulary, warn }: Asking,
): Promise<Reply> {
  if (mount === '' || secretName === '')
    throw badRequest('mount and secret_name name one secret: neither may be empty');
  // The whole path decides, so a mount or secret with slashes is found in both forms.
  const name = secretName.replace(/^\/+/, '');
  const whole = `${mount.replace(/^\/+|\/+$/g, '')}/${name}`;
  const found = cut(
    await loadAssociations(parts.store, ofPath(namespace.id, whole, name)),
    'associations of this secret',
    warn,
  );
  if (found.length === 0) throw notFound();
  // What an earlier mount at this path has left comes behind what is there now.
  const entries = found.toReversed().flatMap((association) =>
    shownRecords(association, vocabulary).map(({ subKey, fields }) => {
      const type = typeName(association.type, vocabulary);
      const key = `${type}/${association.destination_name}${subKey === '' ? '' : `/${subKey}`}`;
      return [key, { type, name: association.destination_name, ...fields }] as const;
    }),
  );
  return { data: { associated_destinations: withOwnKeys(entries) } };
}

async function listAll(parts: SyncParts, { namespace, warn }: Asking): Promise<Reply> {
  const secrets = cut(await listSecrets(parts.store, namespace.id), 'associated secrets', warn);
  const byPath = [...Map.groupBy(secrets, pathOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  if (byPath.length === 0) return undefined;
  const entries = byPath.map(([path, same]) => [path, same.slice(0, 1).map(toListed)] as const);
  const total_associations = secrets.reduce((sum, { count }) => sum + count, 0);
  const keys = byPath.map(([path]) => path);
  return { data: { keys, key_info: Object.fromEntries(entries), total_associations, total_secrets: keys.length } };
}

/** Of a mount that is no more and of the one that has its path now there may be one each. */
const pathOf = ({ mount_path, secret_name }: ListedSecret): string => mount_path + secret_name;

const toListed = ({ mount_path, secret_name }: ListedSecret): object => ({
  mount: mount_path,
  secret_path: secret_name,
});
