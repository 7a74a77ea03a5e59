import type { Fields, Input } from '../fields.ts';
import type { AnyReply, OwnReply, Reply, ReplyWith } from './reply.ts';
import type { RequestContext, Verb } from './request.ts';

/**
 * A row of the path table defines everything about a path: its pattern, its operations with their fields, who may call them, and
 * its help text. Routing, validation, `?help=1` and the OpenAPI document are all derived from it.
 *
 * Patterns are relative to the mount: `config`, `versions/:name`, and `data/*path`, in which `*path` matches the rest including
 * slashes. A `:name` parameter follows the name rule of the API (`\w(([\w-.]+)?\w)?`); a `*rest` parameter matches any text.
 * A pattern that ends in `/` is a listing only.
 */
export interface Row {
  readonly pattern: string;
  readonly help: string;
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>;
  /** The `*rest` parameter is a single name. Like every name of the API it does not end in a period. */
  readonly restIsName?: true;
  /** Whether the resource exists, to decide between the capabilities create and update. If absent, a write is always an update. */
  readonly exists?: (input: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<boolean>;
}

/** One operation of a row, with its field types erased. Created by `operation()`. */
export interface Operation {
  readonly summary: string;
  readonly fields: Fields;
  readonly marks: OperationMarks;
  run(input: Readonly<Record<string, unknown>>, context: RequestContext): Promise<AnyReply>;
}

export interface OperationMarks {
  /** Needs no token. */
  readonly unauthenticated?: boolean;
  /** With `unauthenticated`: a token that was sent is not looked up, so no use of it is counted and there is no caller. */
  readonly ignoresToken?: boolean;
  /** Concerns the token of the caller. A request without a namespace goes to the namespace of the token. */
  readonly atOwnNamespace?: true;
  /** Fetches the reply of a wrapping token, which spends its only use, at these paths below the mount. */
  readonly takesReply?: (path: string) => boolean;
  /** Needs the sudo capability in addition. */
  readonly sudo?: boolean;
  /** Concerns the whole service, so only the root namespace has it, or also the administrative namespace. */
  readonly rootNamespaceOnly?: boolean | 'or-administrative';
  /** Works in a locked namespace. */
  readonly whileLocked?: boolean;
  /** A read for health checks and scrapers, which do not send the request header of API clients. */
  readonly forProbes?: boolean;
  /** Works while the service is sealed or not initialised. */
  readonly whileSealed?: boolean;
  /** Fields that the row does not name are passed to the handler unchanged instead of being ignored with a warning. */
  readonly anyFields?: boolean;
  /** Refuses fields that the row does not name, since they may be meant to limit the request. Default: only deletions do. */
  readonly knownFieldsOnly?: boolean;
  /** Fields that clients of the API family send but that have no meaning here; they cause no warning. */
  readonly ignores?: readonly string[];
  /** Why a field that the row does not name is refused; undefined to ignore it with a warning. */
  readonly refuses?: (name: string, value: unknown) => string | undefined;
  /** Its body may be as large as the server accepts. Other operations accept only small bodies. */
  readonly large?: boolean;
  /** The replies that are not the usual ones of its verb: 200 in the envelope, 204, and refusals with `errors`. */
  readonly replies?: Replies;
}

/** Replies by status, or by a range of statuses such as `5XX`. */
export type Replies = Readonly<Record<StatusRange | number, ReplyForm>>;

type StatusRange = `${number}XX`;

/** In the envelope, in a form of its own, without a body, or of these media types. */
export type ReplyForm = 'envelope' | 'own' | 'none' | { readonly mediaTypes: readonly string[] };

/** What a handler may return. */
type ReplyOf<R extends Replies> =
  | Reply
  | ReplyWith<StatusOf<R>>
  | (R extends { readonly 200: 'own' | { readonly mediaTypes: readonly string[] } } ? OwnReply : never);

type StatusOf<R extends Replies> = keyof R & StatusRange extends never ? keyof R & number : number;

/** The `replies` of an operation that replies with `Accepted`. */
export const accepted = { 202: 'envelope' } as const;

interface OperationSpec<F extends Fields, R extends Replies> extends OperationMarks {
  readonly summary: string;
  readonly replies?: R;
  readonly run: (input: Input<F>, context: RequestContext) => Promise<ReplyOf<NoInfer<R>>>;
}

/** Ties a handler to its fields and replies: a field, a status or a form that is not declared does not compile. */
export function operation<F extends Fields, const R extends Replies = Record<never, never>>(
  fields: F,
  spec: OperationSpec<F, R>,
): Operation {
  const { summary, run, ...marks } = spec;
  // The pipeline parses the input with `fields` before it calls `run`.
  return { summary, fields, marks, run: run as Operation['run'] };
}

/** Marks rows as existing in the root namespace only. */
export const onlyInRoot = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => {
    const marked = Object.entries(row.operations).map(([verb, { marks, ...others }]) => {
      return [verb, { ...others, marks: { ...marks, rootNamespaceOnly: true } }];
    });
    return { ...row, operations: Object.fromEntries(marked) };
  });
