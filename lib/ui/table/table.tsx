import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { inDocument, noPlaces, placesAfter } from './places.ts';
import { SelectAll, SelectRow } from './select.tsx';
import type { Selection } from './selection.ts';

/** A column: its name, its width as a track of a grid, and what a row shows in it. */
export interface Column<R> {
  readonly name: string;
  readonly width: string;
  /** Not on narrow screens. */
  readonly wideOnly?: boolean;
  readonly cell: (row: R) => ComponentChildren;
}

interface TableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly length: number;
  /** Undefined while it is loading. */
  readonly rowAt: (index: number) => R | undefined;
  readonly onShow?: (first: number, last: number) => void;
  readonly onOpen?: (row: R) => void;
  /** With it, rows have check boxes, and Space selects. */
  readonly selection?: Selection<R> | undefined;
  /** Above the names of the columns. */
  readonly header?: ComponentChildren;
  readonly footer?: ComponentChildren;
}

/** As `--row` of the tokens. */
const rowPx = 52;
/** Rows above and below those in view. */
const beyond = 4;
const firstRows = 8;

/** A table of any length: only the rows in view are in the document. Arrows, Home, End and Page keys move, Enter opens. */
export function Table<R>(props: TableProps<R>) {
  const { label, columns, length, rowAt, onShow, onOpen, selection, header, footer } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const rows = useRows(box, length, at);
  const wanted = useRef<number | undefined>(undefined);
  const shown = useShown(rows);
  // An element that is moved loses the focus.
  if (hasFocus(box.current, at)) wanted.current ??= at;
  const near = defaultRangeExtractor({ startIndex: 0, endIndex: 0, ...rows.range, overscan: beyond, count: length });
  const [first, last] = [near[0] ?? 0, near.at(-1) ?? 0];
  useEffect(() => onShow?.(first, last), [first, last, length]);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(length - 1, to));
    setAt(next);
    rows.scrollToIndex(next);
    wanted.current = next;
    focusWanted(box.current, wanted);
  };
  // A row far away is in the document only after the scroll.
  useLayoutEffect(() => focusWanted(box.current, wanted));
  const onKeyDown = (event: KeyboardEvent) => {
    const to = targetOf(event.key, at, length);
    const row = rowAt(at);
    if (to !== undefined) move(to);
    else if (row === undefined || !isRow(event.target)) return;
    else if (event.key === 'Enter') onOpen?.(row);
    else if (event.key === ' ' && selection !== undefined) selection.toggle(row);
    else return;
    event.preventDefault();
  };
  return (
    <div class="card table" style={tracksOf(columns, selection !== undefined)}>
      {header === undefined ? null : <header>{header}</header>}
      <div
        class="rows"
        ref={box}
        role="grid"
        aria-label={label}
        aria-rowcount={length + 1}
        aria-multiselectable={selection === undefined ? undefined : 'true'}
        onKeyDown={onKeyDown}
        tabIndex={length === 0 ? 0 : -1}
      >
        <div class="line names" role="row" aria-rowindex={1} tabIndex={-1}>
          {selection === undefined ? null : <SelectAll selection={selection} />}
          {columns.map(({ name, wideOnly }) => (
            <span key={name} role="columnheader" class={`cell ${wideOnly === true ? 'narrow-off' : ''}`} tabIndex={-1}>
              {name}
            </span>
          ))}
        </div>
        <div class="space" role="presentation" style={{ height: `${rows.getTotalSize()}px` }}>
          {shown.map(({ place, index, start }) => (
            <Row
              key={place}
              {...{ columns, index, start }}
              row={rowAt(index)}
              isCurrent={index === at}
              onCurrent={() => setAt(index)}
              onOpen={onOpen}
              selection={selection}
            />
          ))}
        </div>
      </div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </div>
  );
}

interface RowProps<R> {
  readonly columns: readonly Column<R>[];
  readonly index: number;
  readonly start: number;
  readonly row: R | undefined;
  readonly isCurrent: boolean;
  readonly onCurrent: () => void;
  readonly onOpen: ((row: R) => void) | undefined;
  readonly selection: Selection<R> | undefined;
}

function Row<R>({ columns, index, start, row, isCurrent, onCurrent, onOpen, selection }: RowProps<R>) {
  const [isSelectable, isSelected] = [selection !== undefined, row !== undefined && selection?.has(row) === true];
  return (
    <div
      class={`line row ${onOpen === undefined ? '' : 'opens'}`}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      aria-selected={isSelectable && row !== undefined ? isSelected : undefined}
      tabIndex={isCurrent ? 0 : -1}
      style={{ top: `${start}px` }}
      onClick={() => {
        onCurrent();
        if (row !== undefined) onOpen?.(row);
      }}
      onFocus={onCurrent}
    >
      {isSelectable ? (
        <SelectRow
          isSelected={isSelected}
          isLoading={row === undefined}
          onToggle={() => row !== undefined && selection?.toggle(row)}
        />
      ) : null}
      {columns.map(({ name, wideOnly, cell }) => (
        <div key={name} role="gridcell" class={`cell ${wideOnly === true ? 'narrow-off' : ''}`}>
          {row === undefined ? <span class="blank" /> : cell(row)}
        </div>
      ))}
    </div>
  );
}

function useRows(box: { readonly current: HTMLDivElement | null }, length: number, at: number) {
  const [, changed] = useState(0);
  const rows = useMemo(() => new Virtualizer<HTMLDivElement, Element>(optionsOf(box, length, at, () => {})), []);
  rows.setOptions(optionsOf(box, length, at, () => changed((count) => count + 1)));
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}

/** The rows that are shown, as they are in the document. */
function useShown(rows: Virtualizer<HTMLDivElement, Element>) {
  const places = useRef(noPlaces);
  const items = rows.getVirtualItems();
  const indexes = items.map(({ index }) => index);
  places.current = placesAfter(places.current, indexes, !rows.isScrolling);
  const { of } = places.current;
  return inDocument(items, places.current).map(({ index, start }) => ({ place: of.get(index), index, start }));
}

const optionsOf = (
  box: { readonly current: HTMLDivElement | null },
  length: number,
  at: number,
  onChange: () => void,
) => ({
  count: length,
  getScrollElement: () => box.current,
  estimateSize: () => rowPx,
  overscan: beyond,
  initialRect: { width: 0, height: rowPx * firstRows },
  rangeExtractor: (range: Range) => withCurrent(defaultRangeExtractor(range), at, range.count),
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
  onChange,
});

/** The current row stays in the document when it is scrolled away, so that it keeps the focus, and keys go on from it. */
function withCurrent(near: number[], at: number, length: number): number[] {
  const [first, last] = [near[0], near.at(-1)];
  if (first === undefined || last === undefined || at >= length || (first <= at && at <= last)) return near;
  return at < first ? [at, ...near] : [...near, at];
}

function targetOf(key: string, at: number, length: number): number | undefined {
  const page = 10;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: length - 1,
  };
  return targets[key];
}

const isRow = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.getAttribute('role') === 'row';

const hasFocus = (box: HTMLDivElement | null, index: number): boolean =>
  box?.contains(document.activeElement) === true &&
  document.activeElement?.getAttribute('data-index') === String(index);

/** Moves the focus to the row that is wanted, once it is there. */
function focusWanted(box: HTMLDivElement | null, wanted: { current: number | undefined }): void {
  const row = box?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
  if (wanted.current === undefined || !row) return;
  wanted.current = undefined;
  row.focus({ preventScroll: true });
}

function tracksOf<R>(columns: readonly Column<R>[], isSelectable: boolean): Record<string, string> {
  const first = isSelectable ? ['1.25rem'] : [];
  const tracks = (list: readonly Column<R>[]) => [...first, ...list.map(({ width }) => width)].join(' ');
  return {
    '--columns': tracks(columns),
    '--columns-narrow': tracks(columns.filter(({ wideOnly }) => wideOnly !== true)),
  };
}
