import type { NeededBy } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';

export type Db = Pick<Store, 'db'>;

/** A kind of resource that rows are about. */
export interface Noun<F, R extends string> {
  /** @throws ApiError 404 when it does not exist or the caller may not read it */
  readonly find: Find<F>;
  /** Whether a caller that may read the resource has the right. */
  readonly rights: Readonly<Record<R, Right<F>>>;
  readonly forbidden: readonly R[];
}

type Find<F> = (store: Db, asked: NeededBy) => Promise<F>;
type Right<F> = (found: F, asked: NeededBy, store: Db) => boolean | Promise<boolean>;

/** A parameter of the path. @throws Error when the path does not have it (a programming error) */
export function parameterOf(parameters: NeededBy['parameters'], name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}

/** `forbidden`: rights whose lack gives 403 when the caller may read the resource; the lack of any other right gives 404. */
export const noun = <F, R extends string>(
  find: Find<F>,
  rights: Readonly<Record<R, Right<F>>>,
  forbidden: readonly NoInfer<R>[] = [],
): Noun<F, R> => ({ find, rights, forbidden });
