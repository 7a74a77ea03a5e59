import { type Column, tableLines } from '../show/table.ts';
import type { Terminal } from '../show/terminal.ts';
import { type Figure, isMet } from './measure/figure.ts';

/** Figures of one section. */
export interface Measured {
  readonly section: string;
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
}

const columns: readonly Column[] = [
  { title: 'measured' },
  { title: 'ours', align: 'right' },
  { title: 'bare', align: 'right' },
  { title: 'unit' },
  { title: 'ratio', align: 'right' },
  { title: 'target', align: 'right' },
  { title: '' },
];

/** The table of one section, with its notes below. */
export function showSection(terminal: Terminal, { title, figures, notes }: Measured): void {
  terminal.line();
  terminal.line(terminal.styled('bold', title));
  const placed = figures.filter(({ cell }) => cell !== undefined);
  const listed = figures.filter(({ cell }) => cell === undefined);
  for (const line of [...gridLines(terminal, placed), ...listLines(terminal, listed), ...notes])
    terminal.line(`  ${line}`);
}

const listLines = (terminal: Terminal, figures: readonly Figure[]): readonly string[] =>
  figures.length === 0
    ? []
    : tableLines(
        columns,
        figures.map((figure) => cells(terminal, figure)),
      );

/** One line for all figures of a row, each beside its bound; a missed one is red. */
function gridLines(terminal: Terminal, figures: readonly Figure[]): readonly string[] {
  const titles = [...new Set(figures.map(({ cell }) => cell?.column ?? ''))];
  const rows = [...Map.groupBy(figures, ({ cell }) => JSON.stringify(cell?.row)).values()];
  const head = rows[0]?.[0]?.cell?.row ?? [];
  return rows.length === 0
    ? []
    : tableLines(
        [...head.map(() => ({ title: '' })), ...titles.map((title): Column => ({ title, align: 'right' }))],
        rows.map((row) => [
          ...(row[0]?.cell?.row ?? []),
          ...titles.map((title) =>
            row
              .filter(({ cell }) => cell?.column === title)
              .map((one) => figureLine(terminal, one))
              .join(),
          ),
        ]),
      );
}

function figureLine(terminal: Terminal, figure: Figure): string {
  const { value, target } = figure;
  const bound = target !== undefined && 'bound' in target ? ` (${target.bound})` : '';
  return `${isMet(figure) === false ? terminal.styled('red', `${value} missed`) : value}${bound}`;
}

/** For programs. Members that do not apply to a figure are missing. */
export const toJson = (measured: readonly Measured[]): string =>
  JSON.stringify(
    measured.map(({ section, figures }) => ({
      section,
      figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })),
    })),
    undefined,
    2,
  );

function cells(terminal: Terminal, figure: Figure): readonly string[] {
  const { what, value, unit, compared } = figure;
  const bare = compared === undefined ? '' : number(compared.baseline);
  const ratio = compared === undefined ? '' : compared.ratio.toFixed(2);
  return [what, number(value), bare, unit, ratio, targetText(figure), verdict(terminal, figure)];
}

function targetText({ target, unit }: Figure): string {
  if (target === undefined) return '';
  if ('share' in target) return `≥ ${target.share}`;
  return `≤ ${target.bound} ${unit}${target.orRatio === undefined ? '' : ` or ${target.orRatio} × bare`}`;
}

function verdict(terminal: Terminal, figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? terminal.styled('green', 'met') : terminal.styled('red', 'missed');
}

/** A measurement has at most four significant digits. */
const number = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));
