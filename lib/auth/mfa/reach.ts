import { type RawBuilder, sql } from 'kysely';
import { type Namespace, rootNamespace } from '../../core/namespace.ts';

/** Whether an id is that of a namespace or of one above it: what stands above holds below. */
export const isOrAbove = (id: RawBuilder<unknown>, { path }: Pick<Namespace, 'path'>): RawBuilder<unknown> =>
  sql`(${id} = ${rootNamespace.id} or ${id} in (select n.id from namespaces n where starts_with(${path}, n.path)))`;
