import { z } from 'zod';
import { type Operation, type OperationMarks, operation, type Row } from '#path/contract/row.ts';
import { bool, duration, integer, jsonObject, pathText, text, textList, textMap } from '#path/fields.ts';

const done = async () => undefined;
const name = pathText('Name of the role');

/** An operation with an empty reply. */
export const quiet = (summary: string, marks: OperationMarks = {}): Operation =>
  operation({}, { summary, ...marks, run: done });

/** Rows with every kind of field and mark. */
export const sampleRows: readonly Row[] = [
  {
    pattern: 'config',
    help: 'The configuration.',
    operations: {
      read: quiet('Read the configuration', { unauthenticated: true }),
      patch: operation(
        {
          disabled: bool().default(false).meta({ description: 'Stops | everything' }),
          capacity: integer().optional().meta({ description: 'Number of entries' }),
        },
        { summary: 'Change the configuration', run: done },
      ),
    },
  },
  { pattern: 'roles/', help: 'The roles.', operations: { list: quiet('List the roles') } },
  {
    pattern: 'roles/:name',
    help: 'A role.',
    exists: async () => true,
    operations: {
      read: operation({ name, verbose: bool().optional() }, { summary: 'Read a role', sudo: true, run: done }),
      write: operation(
        {
          name,
          region: text().meta({ description: 'Region', immutable: true }),
          key: text().default('none').meta({ description: 'Access key', sensitive: true }),
          tags: textMap().optional(),
          ports: textList().optional(),
          ttl: duration().optional(),
          level: z.enum(['path', 'key']).nullable().optional(),
          extra: jsonObject().optional(),
        },
        { summary: 'Write a role', run: done },
      ),
      delete: operation({ name, purge: bool().default(false) }, { summary: 'Delete a role', run: done }),
    },
  },
  {
    pattern: 'data/*path',
    help: 'Data.',
    operations: {
      read: quiet('Read data'),
      list: quiet('List data'),
      write: operation({ path: pathText('Path') }, { summary: 'Write data', anyFields: true, run: done }),
    },
  },
];
