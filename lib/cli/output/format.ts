import { type ObjectValue, printJson, type Value } from '#client/wire/json.ts';
import type { Format } from './formats.ts';
import type { One, Rows } from './result.ts';
import { cell, type Look, tableLines } from './table.ts';

/** How a status is shown on a terminal. */
export type Paint = (text: string) => string;

/**
 * A list or one thing in a format, with a newline at the end.
 * @param widthMax columns of the terminal, into which a table is folded
 */
export async function formatted(result: Rows | One, format: Format, paint: Paint, widthMax?: number): Promise<string> {
  const value = result.kind === 'rows' ? result.rows : result.value;
  switch (format) {
    case 'json':
      return `${printJson(value, 2)}\n`;
    case 'ndjson':
      return itemsOf(value)
        .map((item) => `${printJson(item)}\n`)
        .join('');
    case 'yaml': {
      const { yamlOf } = await import('./yaml.ts');
      return yamlOf(value);
    }
    case 'csv':
      return csv(result);
    default:
      return table(result, format === 'wide', { paint, widthMax: format === 'wide' ? undefined : widthMax });
  }
}

const itemsOf = (value: Value): readonly Value[] => (Array.isArray(value) ? value : [value]);

function table(result: Rows | One, isWide: boolean, look: Look): string {
  const [titles, rows] = result.kind === 'rows' ? gridOf(result, isWide) : pairsOf(result.value);
  return `${tableLines(titles, rows, look).join('\n')}\n`;
}

function gridOf(result: Rows, isWide: boolean): Grid {
  const columns = result.columns.filter((column) => isWide || column.isWide !== true);
  const rows = result.rows.map((row) => columns.map(({ key }) => cell(row[key])));
  return [columns.map(({ title }) => title), rows];
}

type Grid = readonly [titles: readonly string[], rows: readonly (readonly string[])[]];

function pairsOf(value: Value): Grid {
  return [['field', 'value'], Object.entries(flattened(value)).map(([name, member]) => [name, cell(member)])];
}

/** Members of objects by their path, such as `options.granularity_level`. */
function flattened(value: Value, prefix = ''): ObjectValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value))
    return { [prefix || 'value']: value };
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0 && prefix !== '') return { [prefix]: null };
  return Object.assign(
    {},
    ...members.map(([name, member]) => flattened(member ?? null, prefix === '' ? name : `${prefix}.${name}`)),
  ) as ObjectValue;
}

const isPlain = (value: object): value is ObjectValue => Object.getPrototypeOf(value) === Object.prototype;

/** RFC 4180, with the keys of the rows as the first line. */
function csv(result: Rows | One): string {
  const [titles, rows]: Grid =
    result.kind === 'rows'
      ? [
          result.columns.map(({ key }) => key),
          result.rows.map((row) => result.columns.map(({ key }) => plain(row[key]))),
        ]
      : [['field', 'value'], Object.entries(flattened(result.value)).map(([name, member]) => [name, plain(member)])];
  return [titles, ...rows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

const plain = (value: Value | undefined): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : printJson(value);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
