import { printJson, type Value } from '#client/wire/json.ts';
import { widthOf, wrapped } from './width.ts';

type Row = readonly string[];

/** What decides how a table looks. */
export interface Look {
  readonly paint: (text: string) => string;
  /** Columns of the terminal, into which long texts are folded; without it every row is one line. */
  readonly widthMax?: number | undefined;
}

const gap = '  ';
/** Texts are not folded into less, so that the words stay readable. */
const foldedWidthMin = 20;

/** Lines of a table with a heading and aligned columns. */
export function tableLines(titles: Row, rows: readonly Row[], { paint, widthMax }: Look): readonly string[] {
  const natural = titles.map((title, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), widthOf(title)),
  );
  const widths = widthMax === undefined ? natural : fitted(natural, textColumns(titles, rows), widthMax);
  const line = (cells: Row, painted: (text: string) => string) =>
    cells
      .map((text, at) => painted(text) + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text))))
      .join(gap)
      .trimEnd();
  const heading = titles.map((title) => title.toUpperCase());
  return [line(heading, (text) => text), ...rows.flatMap((row) => folded(row, widths)).map((row) => line(row, paint))];
}

/** The columns with texts of several words. Names and ids have none, and are never broken. */
const textColumns = (titles: Row, rows: readonly Row[]): readonly boolean[] =>
  titles.map((_title, at) => rows.some((row) => row[at]?.includes(' ')));

/** Narrows the widest columns of texts until the table fits, or none can be narrowed further. */
function fitted(natural: readonly number[], isText: readonly boolean[], widthMax: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
  while (total() > widthMax) {
    const widest = Math.max(...widths.filter((width, at) => isText[at] === true && width > foldedWidthMin), 0);
    if (widest === 0) break;
    widths[widths.findIndex((width, at) => isText[at] === true && width === widest)] = widest - 1;
  }
  return widths;
}

/** A row as several, each with the next line of every cell. */
function folded(row: Row, widths: readonly number[]): readonly Row[] {
  const cells = row.map((text, at) => {
    const width = widths[at] ?? 0;
    return widthOf(text) <= width ? [text] : wrapped(text, width);
  });
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ''));
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
