import { sql } from 'kysely';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenService } from '../open-service.ts';

/** Inserts destinations `<prefix>-00001` and so on in the root or another namespace. None of them has associations. */
export async function insertManyDestinations(
  service: OpenService,
  type: string,
  prefix: string,
  count: number,
  namespace?: string,
): Promise<void> {
  const of =
    namespace === undefined
      ? sql`select ${rootNamespace.id} as id`
      : sql`select id from namespaces where path = ${`${namespace}/`}`;
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    select ${type}, ${`${prefix}-`} || lpad(i::text, 5, '0'), 'x', 'secret-path', '{}', '{}', false, now(), n.id
      from generate_series(1, ${count}::int) i, (${of}) n`.execute(service.store.db);
}
