import type { CatalogColumn } from './catalog.ts';
import type { TableNote, TableNotes } from './note.ts';

const lineMax = 120;

/** The kind of each type in the schema, as `pg` returns its values without parsers of our own. */
const kinds: Readonly<Record<string, string>> = {
  bigint: 'bigintText',
  boolean: 'bool',
  bytea: 'bytea',
  'double precision': 'float',
  integer: 'int',
  jsonb: 'json',
  smallint: 'int',
  text: 'text',
  'timestamp with time zone': 'timestamptz',
  uuid: 'uuid',
};

/** The file of a group of tables, with the columns of each as kinds. */
export function renderTables(group: string, notes: TableNotes, catalog: readonly CatalogColumn[]): string {
  const tables = Object.entries(notes).map(([table, note]) => renderTable(table, note, catalog));
  const body = tables.join('\n\n');
  const code = body.replace(/^ *\/\*\*[\s\S]*?\*\/$/gm, '');
  const used = [...new Set(code.match(/(?<=[ (])[a-zA-Z]+(?=[(),])/g))].sort();
  const head = `// Written by \`npm run generate\` from the migrated schema and infra/generate/schema/notes/${group}.ts.`;
  return `${head}\n${importOf('import', used, '../sql/kinds.ts')}\n\n${body}\n`;
}

/** `tables.ts` with all tables for Kysely. */
export function renderDatabase(groups: Readonly<Record<string, TableNotes>>): string {
  const files = Object.entries(groups).map(([group, notes]) => {
    const names = Object.keys(notes).map(nameOf).sort(byLetters);
    return importOf('import type', names, `./tables/${group}.ts`);
  });
  const tables = Object.values(groups).flatMap((notes) => Object.keys(notes));
  const lines = tables.sort().map((table) => `  ${table}: TableOf<typeof ${nameOf(table)}>;`);
  const imports = [`import type { TableOf } from './sql/columns.ts';`, ...files.sort(byPath)];
  return `// Written by \`npm run generate\` from the migrated schema.\n${imports.join('\n')}\n\n${about}\n${[
    'export interface Database {',
    ...lines,
    '}',
  ].join('\n')}\n`;
}

const about = `/**
 * Every table as Kysely sees it. The columns are in \`tables/\`, with what they hold. A \`bytea\` column that is called sealed holds what
 * the barrier made of a value; everything else can be read by anyone with access to the database, so nothing sensitive is in it.
 */`;

/** The constant with the columns of a table: `kvSecretsTable`. */
const nameOf = (table: string): string =>
  `${table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`;

function renderTable(table: string, { about, columns = {}, json = {} }: TableNote, catalog: readonly CatalogColumn[]) {
  const own = catalog.filter((column) => column.table === table);
  const names = new Set(own.map(({ name }) => name));
  if (names.size === 0) throw new Error(`notes describe the table ${table}, which the schema does not have`);
  const unknown = [...Object.keys(columns), ...Object.keys(json)].find((name) => !names.has(name));
  if (unknown !== undefined) throw new Error(`notes describe ${table}.${unknown}, which the schema does not have`);
  const lines = own.flatMap((column) => [
    ...docOf(columns[column.name], '  '),
    ...propertyOf(column.name, kindOf(column, json[column.name])),
  ]);
  return [...docOf(about, ''), `export const ${nameOf(table)} = {`, ...lines, '};'].join('\n');
}

function kindOf({ table, name, type, isNullable, written, texts }: CatalogColumn, ofJson: string | undefined): string {
  const array = type.endsWith('[]');
  const plain = ofJson ?? kinds[array ? type.slice(0, -2) : type];
  if (plain === undefined) throw new Error(`${table}.${name} is of type ${type}, which has no kind yet`);
  const one = texts === null ? plain : `oneOf(${texts.map((text) => `'${text}'`).join(', ')})`;
  const many = array ? `arrayOf(${one})` : one;
  const read = isNullable ? `nullable(${many})` : many;
  if (written === 'by-insert') return read;
  return written === 'generated' ? `generated(${read})` : `withDefault(${read})`;
}

/** In the layout of the formatter. */
function propertyOf(name: string, kind: string): readonly string[] {
  const line = `  ${name}: ${kind},`;
  const [, outer, inner] = /^(\w+)\((.*)\)$/.exec(kind) ?? [];
  return line.length <= lineMax ? [line] : [`  ${name}: ${outer}(`, `    ${inner},`, '  ),'];
}

function docOf(doc: string | undefined, indent: string): readonly string[] {
  if (doc === undefined) return [];
  const line = `${indent}/** ${doc} */`;
  if (line.length <= lineMax) return [line];
  return [
    `${indent}/**`,
    ...wrapped(doc, lineMax - indent.length - 3).map((part) => `${indent} * ${part}`),
    `${indent} */`,
  ];
}

function wrapped(text: string, widthMax: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= widthMax) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** In the layout of the formatter. */
function importOf(keyword: string, names: readonly string[], from: string): string {
  const line = `${keyword} { ${names.join(', ')} } from '${from}';`;
  if (line.length <= lineMax) return line;
  return [`${keyword} {`, ...names.map((name) => `  ${name},`), `} from '${from}';`].join('\n');
}

const pathOf = (line: string): string => line.slice(line.indexOf("from '"));
const byPath = (a: string, b: string): number => (pathOf(a) < pathOf(b) ? -1 : 1);

/** The order of the formatter: by letters, of which a capital comes before the same small one. */
function byLetters(a: string, b: string): number {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  if (at < 0) return -1;
  const [one = '', other = ''] = [a[at], b[at]];
  const [small, otherSmall] = [one.toLowerCase(), other.toLowerCase()];
  if (small === otherSmall) return one < other ? -1 : 1;
  return small < otherSmall ? -1 : 1;
}
