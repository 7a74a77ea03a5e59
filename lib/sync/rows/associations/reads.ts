import { badField, notFound } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import { definitionOf, storedTypeIn, typeIn } from '../../model/definition.ts';
import { loadDestination } from '../destinations/store.ts';
import { asksForPart, positionFields } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import { listAll, listPart } from './list.ts';
import { partOfDestination } from './part.ts';
import { loadAssociations, ofDestination, ofPath, truncated } from './store.ts';
import { associatedSecrets, shownRecords, withOwnKeys } from './view.ts';

/** The reads of associations. */
export function associationReadRows(parts: SyncParts): readonly Row[] {
  return [
    {
      pattern: 'sync/destinations/:type/:name/associations',
      help: 'Shows the secrets associated with a destination, each with the state of its copy.',
      operations: {
        read: operation(
          { type: pathText('Destination type'), name: pathText('Name of the destination'), ...positionFields },
          {
            summary: 'Read the associations of a destination',
            run: ({ type, name, ...page }, context) => ofOneDestination(parts, { type, name }, page, context),
          },
        ),
      },
    },
    {
      pattern: 'sync/associations/',
      help: 'Lists every secret that is associated with a destination.',
      operations: {
        list: operation(positionFields, {
          summary: 'List associated secrets',
          run: (page, context) => (asksForPart(page) ? listPart(parts, page, context) : listAll(parts, context)),
        }),
      },
    },
    {
      pattern: 'sync/associations/destinations',
      help: 'Shows the destinations of a secret. This form accepts mounts and secret names with slashes.',
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
      help: 'Shows the destinations of a secret.',
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

type ReadContext = Pick<RequestContext, 'namespace' | 'vocabulary' | 'warn'>;

/** A destination without associations returns an empty object, because clients rely on it. */
async function ofOneDestination(
  parts: SyncParts,
  { type, name }: { readonly type: string; readonly name: string },
  page: Page,
  { namespace, vocabulary, warn }: ReadContext,
): Promise<Reply> {
  const definition = definitionOf(parts.definitions, type, vocabulary);
  const destination = await loadDestination(parts.store, parts.store.db, {
    namespace_id: namespace.id,
    type: definition.type,
    name,
  });
  if (destination === undefined) throw notFound();
  if (asksForPart(page)) {
    const part = await partOfDestination(parts, destination.id, page, vocabulary);
    return { ...part, data: { ...part.data, store_name: name, store_type: typeIn(definition, vocabulary) } };
  }
  const associations = await loadAssociations(parts.store, ofDestination(destination.id));
  const shown = associatedSecrets(truncated(associations, 'associations of this destination', warn), vocabulary);
  return { data: { ...shown, store_name: name, store_type: typeIn(definition, vocabulary) } };
}

async function ofOneSecret(
  parts: SyncParts,
  mount: string,
  secretName: string,
  { namespace, vocabulary, warn }: ReadContext,
): Promise<Reply> {
  if (mount === '' || secretName === '')
    throw badField(
      [...(mount === '' ? ['mount'] : []), ...(secretName === '' ? ['secret_name'] : [])],
      'mount and secret_name together name one secret: neither can be empty',
    );
  // Match by the whole path, so that a mount or secret with slashes is found in both forms.
  const name = secretName.replace(/^\/+/, '');
  const whole = `${mount.replace(/^\/+|\/+$/g, '')}/${name}`;
  const found = truncated(
    await loadAssociations(parts.store, ofPath(namespace.id, whole, name)),
    'associations of this secret',
    warn,
  );
  if (found.length === 0) throw notFound();
  // Associations left by an earlier mount at this path come after the current ones.
  const entries = found.toReversed().flatMap((association) =>
    shownRecords(association, vocabulary).map(({ subKey, fields }) => {
      const type = storedTypeIn(parts.definitions, association.type, vocabulary);
      const key = `${type}/${association.destination_name}${subKey === '' ? '' : `/${subKey}`}`;
      return [key, { type, name: association.destination_name, ...fields }] as const;
    }),
  );
  return { data: { associated_destinations: withOwnKeys(entries) } };
}
