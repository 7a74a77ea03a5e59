import type { Fields, Input } from '../fields.ts';
import type { Reply } from './reply.ts';
import type { RequestContext, Verb } from './request.ts';

/**
 * A row of the path table is everything that is known of a path: its pattern, its operations with their fields,
 * who may call them, and the text for people. Routing, validation, `?help=1` and the OpenAPI document all come from it.
 *
 * Patterns are relative to the mount: `config`, `versions/:name`, and `data/*path` where `*path` takes the rest, slashes
 * included. A `:name` parameter follows the name rule of the API (`\w(([\w-.]+)?\w)?`); a `*rest` parameter takes any text.
 * A pattern that ends in `/` is a listing only.
 */
export interface Row {
  readonly pattern: string;
  readonly help: string;
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>;
  /** The `*rest` parameter is one name: like every name of the API it does not end in a period. */
  readonly restIsName?: true;
  /** Says whether the thing exists, to decide between the capabilities create and update. Absent: always update. */
  readonly exists?: (input: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<boolean>;
}

/** One operation of a row, its field types erased. Made by `operation()`. */
export interface Operation {
  readonly summary: string;
  readonly fields: Fields;
  readonly marks: OperationMarks;
  run(input: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Reply>;
}

export interface OperationMarks {
  /** Needs no token. */
  readonly unauthenticated?: boolean;
  /** With `unauthenticated`: the token that came is not looked up, so no use of it is counted and there is no caller. */
  readonly ignoresToken?: boolean;
  /** Is about the token of the caller: without the name of a namespace it is asked of that of the token. */
  readonly atOwnNamespace?: true;
  /** Takes the reply of a wrapping token, and its only use with it, at these paths below the mount. */
  readonly takesReply?: (path: string) => boolean;
  /** Needs the sudo capability as well. */
  readonly sudo?: boolean;
  /** Is about the whole service, so no other namespace has it than the root, or the one that administers the service too. */
  readonly rootNamespaceOnly?: boolean | 'or-administrative';
  /** Answers in a namespace that is locked. */
  readonly whileLocked?: boolean;
  /** Reads what health checks and scrapers ask for, which send no header of clients of the API. */
  readonly forProbes?: boolean;
  /** Answers while the service is sealed or not initialised. */
  readonly whileSealed?: boolean;
  /** Fields that the row does not name are handed to the handler as they are instead of being ignored with a warning. */
  readonly anyFields?: boolean;
  /** A field that the row does not name is refused: it may have been meant to narrow what is done. Absent: so are those of deletions. */
  readonly knownFieldsOnly?: boolean;
  /** Fields that clients of the API family send and that mean nothing here, so there is nothing to be said of them. */
  readonly ignores?: readonly string[];
  /** Why a field that the row does not name is refused; undefined: it is ignored with a warning. */
  readonly refuses?: (name: string, value: unknown) => string | undefined;
  /** Its body may be as large as the server takes any. Others are small. */
  readonly large?: boolean;
  /** Its reply is not in the envelope. */
  readonly ownForm?: boolean;
}

interface OperationSpec<F extends Fields> extends OperationMarks {
  readonly summary: string;
  readonly run: (input: Input<F>, context: RequestContext) => Promise<Reply>;
}

/** Ties a handler to its fields: a name that is not among them does not compile. */
export function operation<F extends Fields>(fields: F, spec: OperationSpec<F>): Operation {
  const { summary, run, ...marks } = spec;
  // The pipeline parses the input with `fields` before it calls `run`.
  return { summary, fields, marks, run: run as Operation['run'] };
}

/** Rows that a namespace below the root does not have. */
export const onlyInRoot = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => {
    const marked = Object.entries(row.operations).map(([verb, { marks, ...others }]) => {
      return [verb, { ...others, marks: { ...marks, rootNamespaceOnly: true } }];
    });
    return { ...row, operations: Object.fromEntries(marked) };
  });
