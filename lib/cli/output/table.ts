import { printJson, type Value } from '#client/wire/json.ts';

/** Lines of a table with a heading and aligned columns. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (text: string) => string,
): readonly string[] {
  const widths = titles.map((title, index) => Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)));
  const line = (cells: readonly string[], painted: (text: string) => string) =>
    cells
      .map((text, index) => painted(text) + ' '.repeat(Math.max(0, (widths[index] ?? 0) - text.length)))
      .join('  ')
      .trimEnd();
  return [
    line(
      titles.map((title) => title.toUpperCase()),
      (text) => text,
    ),
    ...rows.map((row) => line(row, paint)),
  ];
}

/** A value in a cell. Control characters are shown as escapes, so that no text of a server can steer the terminal. */
export function cell(value: Value | undefined): string {
  if (value === null || value === undefined || value === '') return '-';
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every(isText)
        ? value.join(', ')
        : printJson(value);
  return shown(text === '' ? '-' : text);
}

const isText = (value: Value): value is string => typeof value === 'string';

export const shown = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => escapes[character] ?? hex(character),
  );

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const hex = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
