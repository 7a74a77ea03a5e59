/** A resource object of JSON:API 1.0 in a reply. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, Relationship>>;
  readonly links?: Readonly<Record<string, string | null>>;
}

export interface Identifier {
  readonly id: string;
  readonly type: string;
}

export interface Relationship {
  readonly data?: Identifier | readonly Identifier[] | null;
  readonly links?: Readonly<Record<string, string>>;
}

/** A relationship to one resource; empty for a null id. */
export const toOne = (type: string, id: string | null | undefined): Relationship => ({
  data: id === null || id === undefined ? null : { id, type },
});

export const toMany = (type: string, ids: readonly string[]): Relationship => ({
  data: ids.map((id) => ({ id, type })),
});

/** A time in the format that all clients read: UTC with milliseconds and a literal `Z`. */
export const timeText = (time: Date | null): string | null => (time === null ? null : time.toISOString());
