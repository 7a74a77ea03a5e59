import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { definitionOf, typeIn } from '../../model/definition.ts';
import type { SyncParts } from '../parts.ts';
import { typeView } from './view.ts';

/** The rows `sys/sync/types` and `sys/sync/types/:type`: what a client needs to show a form for any destination. */
export function typeRows({ definitions }: Pick<SyncParts, 'definitions'>): readonly Row[] {
  return [
    {
      pattern: 'sync/types',
      help: 'Shows the destination types: their fields with labels and groups, templates, limits of names, values and tags.',
      operations: {
        read: operation(
          {},
          {
            summary: 'Read all destination types',
            run: async (_input, { vocabulary }) => ({
              data: { types: definitions.map((definition) => typeView(definition, vocabulary)) },
            }),
          },
        ),
      },
    },
    {
      pattern: 'sync/types/',
      help: 'Lists the destination types, with their titles.',
      operations: {
        list: operation(
          {},
          {
            summary: 'List destination types',
            run: async (_input, { vocabulary }) => {
              const titles = definitions.map(
                (definition) => [typeIn(definition, vocabulary), { title: definition.title }] as const,
              );
              return { data: { keys: titles.map(([type]) => type).sort(), key_info: Object.fromEntries(titles) } };
            },
          },
        ),
      },
    },
    {
      pattern: 'sync/types/:type',
      help: 'Shows a destination type: its fields with labels and groups, templates, limits of names, values and tags.',
      operations: {
        read: operation(
          { type: pathText('Destination type') },
          {
            summary: 'Read a destination type',
            run: async ({ type }, { vocabulary }) => ({
              data: typeView(definitionOf(definitions, type, vocabulary), vocabulary),
            }),
          },
        ),
      },
    },
  ];
}
