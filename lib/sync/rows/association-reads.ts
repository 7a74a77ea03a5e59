import { sql } from 'kysely';
import { badRequest, notFound } from '../../core/errors.ts';
import { pathText, text } from '../../path/fields.ts';
import { operation, type Reply, type Row, type Vocabulary } from '../../path/row.ts';
import { typeName } from '../../path/vocabulary.ts';
import { associationsMax, loadAssociations, ofDestination } from './association-store.ts';
import { associatedSecrets, shownRecords } from './association-view.ts';
import { loadDestination } from './destination-store.ts';
import { definitionOf, type SyncParts } from './parts.ts';

/** The reads of associations (specification, sync document 4.4). */
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
            run: ({ type, name }, { vocabulary }) => ofOneDestination(parts, type, name, vocabulary),
          },
        ),
      },
    },
    {
      pattern: 'sync/associations/',
      help: 'Every secret that is associated with a destination.',
      operations: { list: operation({}, { summary: 'List associated secrets', run: () => listAll(parts) }) },
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
            run: ({ mount, secret_name }, { vocabulary }) => ofOneSecret(parts, mount, secret_name, vocabulary),
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
            run: ({ mount, name }, { vocabulary }) => ofOneSecret(parts, mount, name, vocabulary),
          },
        ),
      },
    },
  ];
}

/** An empty destination answers an empty object: clients count on it. */
async function ofOneDestination(parts: SyncParts, type: string, name: string, vocabulary: Vocabulary): Promise<Reply> {
  const definition = definitionOf(parts.definitions, type);
  const destination = await loadDestination(parts.store, parts.store.db, definition.type, name);
  if (destination === undefined) throw notFound();
  const associations = await loadAssociations(parts.store, ofDestination(destination.id));
  const shown = associatedSecrets(associations, vocabulary);
  return { data: { ...shown, store_name: name, store_type: typeName(definition.type, vocabulary) } };
}

async function ofOneSecret(
  parts: SyncParts,
  mount: string,
  secretName: string,
  vocabulary: Vocabulary,
): Promise<Reply> {
  if (mount === '' || secretName === '')
    throw badRequest('mount and secret_name name one secret: neither may be empty');
  // The whole path decides, so a mount or secret with slashes is found in both forms.
  const whole = `${mount.replace(/^\/+|\/+$/g, '')}/${secretName.replace(/^\/+/, '')}`;
  const found = await loadAssociations(
    parts.store,
    sql`a.mount_path || a.secret_name = ${whole} and a.secret_name = any(${suffixes(whole)}::text[])`,
  );
  if (found.length === 0) throw notFound();
  const entries = found.flatMap((association) =>
    shownRecords(association, vocabulary).map(({ subKey, fields }) => {
      const type = typeName(association.type, vocabulary);
      const key = `${type}/${association.destination_name}${subKey === '' ? '' : `/${subKey}`}`;
      return [key, { type, name: association.destination_name, ...fields }] as const;
    }),
  );
  return { data: { associated_destinations: Object.fromEntries(entries) } };
}

/** What the secret's name may be, so that the index on it can be used. */
function suffixes(whole: string): readonly string[] {
  const segments = whole.split('/');
  return segments.slice(1).map((_segment, index) => segments.slice(index + 1).join('/'));
}

async function listAll(parts: SyncParts): Promise<Reply> {
  const { rows } = await sql<{ mount_path: string; secret_name: string; count: number }>`
    select mount_path, secret_name, count(*)::int as count from associations
     group by mount_path, secret_name order by mount_path, secret_name limit ${associationsMax}`.execute(
    parts.store.db,
  );
  if (rows.length === 0) return undefined;
  const keys = rows.map((row) => row.mount_path + row.secret_name);
  const entries = rows.map((row) => [
    row.mount_path + row.secret_name,
    [{ mount: row.mount_path, secret_path: row.secret_name }],
  ]);
  const total_associations = rows.reduce((sum, row) => sum + row.count, 0);
  return { data: { keys, key_info: Object.fromEntries(entries), total_associations, total_secrets: rows.length } };
}
