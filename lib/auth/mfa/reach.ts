import { type RawBuilder, sql } from 'kysely';
import { type Namespace, rootNamespace } from '#core/namespace.ts';

/** The condition that an id is that of a namespace or of one above it, whose settings apply below. */
export const isOrAbove = (id: RawBuilder<unknown>, { path }: Pick<Namespace, 'path'>): RawBuilder<unknown> =>
  sql`(${id} = ${rootNamespace.id} or ${id} in (select n.id from namespaces n where starts_with(${path}, n.path)))`;
