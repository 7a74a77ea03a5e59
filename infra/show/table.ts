import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

/** Lines of a table with aligned columns. Cells may be coloured. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(...[title, ...rows.map((row) => row[index] ?? '')].map(width)),
  );
  const toLine = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => pad(cells[index] ?? '', widths[index] ?? 0, align === 'right'))
      .join('  ')
      .trimEnd();
  const rule = widths.map((length) => '─'.repeat(length)).join('  ');
  return [toLine(columns.map(({ title }) => title)), rule, ...rows.map(toLine)];
}

const width = (cell: string): number => stripVTControlCharacters(cell).length;

function pad(cell: string, length: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, length - width(cell)));
  return right ? space + cell : cell + space;
}
