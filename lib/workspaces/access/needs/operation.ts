import type { BodySchema } from '#path/jsonapi/input.ts';
import type { QueryFields, QueryOf } from '#path/jsonapi/query.ts';
import type { ApiRow, Method, Replies, RequestOf, RowReply } from '#path/jsonapi/row.ts';
import type { FoundOf, Needs } from './needs.ts';

/** The parameters of a path: `workspace_id` of `/api/v2/workspaces/:workspace_id/vars`. */
export type ParametersOf<P extends string> = P extends `${infer Segment}/${infer Rest}`
  ? ParametersOf<Segment> & ParametersOf<Rest>
  : P extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

interface Marks extends Pick<ApiRow, 'countedBy' | 'streamBytesMax'>, Partial<Pick<ApiRow, 'unrecorded' | 'secrets'>> {
  readonly method: Method;
  readonly summary: string;
  readonly replies: Replies;
}

// biome-ignore lint/complexity/noBannedTypes: a row without query fields reads no query.
type NoQuery = {};

interface OperationSpec<P extends string, N extends Needs, Q extends QueryFields, B> extends Marks {
  readonly path: P;
  readonly needs: N;
  readonly query?: Q;
  readonly body?: BodySchema<B>;
  /** Names the resource where the path does not: a `WorkspaceName`, or the id of a project. */
  readonly named?: (asked: {
    readonly parameters: ParametersOf<P>;
    readonly query: QueryOf<Q>;
    readonly body: B;
  }) => unknown;
  run(request: RequestOf<ParametersOf<P>, QueryOf<Q>, B, FoundOf<N>>): Promise<RowReply>;
}

/**
 * A row of the workspace service. The pipeline reads the query, finds what the row `needs` and checks the caller's right there, reads the body, and
 * then runs the handler: its input is typed by all of them, and it checks no right itself.
 */
export function operation<
  const P extends string,
  const N extends Needs,
  const Q extends QueryFields = NoQuery,
  B = undefined,
>(spec: OperationSpec<P, N, Q, B>): ApiRow {
  const { needs, query = {}, unrecorded = false, secrets = {} } = spec;
  // The pipeline reads the input with the row's own fields before it calls `run` and `named`.
  return { ...(spec as unknown as ApiRow), needs, query, unrecorded, secrets, open: 'open' in needs };
}
