import type { Value } from '#client/wire/json.ts';
import type { Exit } from '../failure.ts';

/** What a command shows on standard output. */
export type Result = (Rows | One | Text) & {
  /** Default: done. */
  readonly exit?: Exit;
};

/** A list with columns; rows may have further members, which other formats show. */
export interface Rows {
  readonly kind: 'rows';
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly [key: string]: Value }[];
}

export interface Column {
  readonly key: string;
  readonly title: string;
  /** Shown by `-o wide` only. */
  readonly isWide?: boolean;
  readonly align?: 'right';
}

/** One thing, whose members are shown as a table of names and values. */
export interface One {
  readonly kind: 'one';
  readonly value: Value;
}

/** Text that is printed as it is: a policy, a field of a secret, a state. */
export interface Text {
  readonly kind: 'text';
  readonly text: string | Uint8Array;
  /** What `-o json` and the like show instead. */
  readonly value?: Value;
}

export const rowsOf = (
  columns: Readonly<Record<string, string>>,
  rows: Rows['rows'],
  wide: Readonly<Record<string, string>> = {},
): Rows => ({
  kind: 'rows',
  columns: [
    ...Object.entries(columns).map(([key, title]) => ({ key, title })),
    ...Object.entries(wide).map(([key, title]) => ({ key, title, isWide: true })),
  ],
  rows,
});

export const one = (value: Value): One => ({ kind: 'one', value });
export const text = (content: string | Uint8Array, value?: Value): Text => ({
  kind: 'text',
  text: content,
  ...(value === undefined ? {} : { value }),
});
