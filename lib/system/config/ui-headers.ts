import { sql } from 'kysely';
import { z } from 'zod';
import { badField, badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, pathText, textList } from '#path/fields.ts';
import { storedSetting } from '#store/settings.ts';
import type { Store } from '#store/store.ts';

const setting = storedSetting<Readonly<Record<string, readonly string[]>>>(
  'ui-headers',
  z.record(z.string(), z.array(z.string())),
);
const headersMax = 100;
const valuesCharactersMax = 8_192;
const name = pathText('Name of the header');
const help =
  'Stores headers for the pages of a user interface, for tools that manage them. This service has no such pages.';

/** `sys/config/ui/headers`. */
export const uiHeaderRows = ({ db }: Pick<Store, 'db'>): readonly Row[] => [
  {
    pattern: 'config/ui/headers/',
    help,
    operations: {
      list: operation(
        {},
        {
          summary: 'List the names of the headers',
          rootNamespaceOnly: true,
          sudo: true,
          run: async () => ({ data: { keys: Object.keys((await setting.read(db)) ?? {}).sort() } }),
        },
      ),
    },
  },
  {
    pattern: 'config/ui/headers/:name',
    help,
    operations: {
      read: operation(
        {
          name,
          multivalue: bool().optional().meta({ description: 'Whether to return all values instead of only the first' }),
        },
        {
          summary: 'Show the values of a header',
          rootNamespaceOnly: true,
          sudo: true,
          async run(input) {
            const values = (await setting.read(db))?.[input.name.toLowerCase()];
            return values && { data: input.multivalue === true ? { values } : { value: values[0] } };
          },
        },
      ),
      write: operation(
        { name, values: textList().optional().meta({ description: 'Values of the header' }) },
        {
          summary: 'Set the values of a header',
          rootNamespaceOnly: true,
          sudo: true,
          async run(input) {
            await put(db, input.name.toLowerCase(), validValues(input.values ?? []));
            return undefined;
          },
        },
      ),
      delete: operation(
        { name },
        {
          summary: 'Remove a header',
          rootNamespaceOnly: true,
          sudo: true,
          async run(input) {
            await sql`update settings set value = value - ${input.name.toLowerCase()}::text where name = 'ui-headers'`.execute(
              db,
            );
            return undefined;
          },
        },
      ),
    },
  },
];

/** A single statement, so that headers set concurrently do not overwrite each other. */
async function put(db: Store['db'], header: string, values: readonly string[]): Promise<void> {
  const entry = JSON.stringify({ [header]: values });
  const { rows } = await sql`
    insert into settings as s (name, value) values ('ui-headers', ${entry}::jsonb)
        on conflict (name) do update set value = s.value || excluded.value
     where s.value ? ${header} or (select count(*) from jsonb_object_keys(s.value)) < ${headersMax}::int
    returning 1`.execute(db);
  if (rows.length === 0) throw badRequest(`there are at most ${headersMax} headers`);
}

function validValues(values: readonly string[]): readonly string[] {
  if (values.length === 0) throw badField('values', 'header values must be set');
  if (values.some((value) => !/^[\x20-\x7e]*$/.test(value)) || values.join('').length > valuesCharactersMax)
    throw badField(
      'values',
      `the values of a header may have at most ${valuesCharactersMax} printable ASCII characters`,
    );
  return values;
}
