/**
 * What the schema does not contain: the doc comments of a table and its columns, and the shape of JSON columns. Narrower types,
 * such as the allowed values of a text without a check constraint, are in the rows of the room that reads the column.
 */
export interface TableNote {
  readonly about?: string;
  readonly columns?: Readonly<Record<string, string>>;
  /** The kinds of JSON columns with a general shape; the rows of the room that reads them are more precise. */
  readonly json?: Readonly<Record<string, 'jsonObject' | 'textMap'>>;
}

/** The tables of one file of `lib/store/tables/`, by name. */
export type TableNotes = Readonly<Record<string, TableNote>>;
