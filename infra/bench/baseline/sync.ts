import type pg from 'pg';

/** An association as a claim returns it: id, mount, secret name, generation, name key of its object. */
export type BareClaim = readonly [id: string, mountId: string, secretName: string, generation: number, key: string];

/**
 * The minimum that every worker of the sync must do, with as few columns as possible: claim associations, read their secrets, write
 * the results back. Each statement handles many at once, is prepared, and does not wait for the disk where ours does not.
 */
export function bareSync(database: pg.Pool) {
  const run = async (name: string, text: string, values: readonly unknown[]) =>
    (await database.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' })).rows;
  return {
    async claim(ids: readonly string[]): Promise<ReadonlyMap<string, BareClaim>> {
      const rows = await run('bare-claim', claimText, [ids]);
      return new Map(rows.map((row) => [String(row[0]), row as unknown as BareClaim]));
    },
    read: (claims: readonly BareClaim[]) =>
      run('bare-current', readText, [claims.map(([, mountId]) => mountId), claims.map(([, , name]) => name)]),
    finish: (claims: readonly BareClaim[]) =>
      run('bare-finish', finishText, [
        claims.map(([id]) => id),
        claims.map(([, , , generation]) => generation),
        claims.map(([, , , , key]) => key),
      ]),
  };
}

const asynchronousCommit = `asynchronous_commit as (select set_config('synchronous_commit', 'off', true))`;

const claimText = `
  with ${asynchronousCommit},
  free as (
    select id from associations
     where id = any($1::bigint[]) and generation > observed_generation
       and (claimed_until is null or claimed_until <= now())
     order by id for no key update skip locked
  )
  update associations a set claimed_by = 'bare', claimed_until = now() + interval '30 s'
    from free, asynchronous_commit where a.id = free.id
  returning a.id::text, a.mount_id::text, a.secret_name, a.generation,
            (select name_key from sync_objects o where o.association_id = a.id)`;

const readText = `
  select w.path, v.id, v.data from unnest($1::uuid[], $2::text[]) as w (mount_id, path)
   cross join lateral (
     select id, data from kv_versions where mount_id = w.mount_id and path = w.path order by version desc limit 1) v`;

const finishText = `
  with ${asynchronousCommit},
  held as (
    select a.id, i.generation, i.key
      from associations a
      join unnest($1::bigint[], $2::bigint[], $3::text[]) as i (id, generation, key) on i.id = a.id
     where a.claimed_by = 'bare' order by a.id for no key update of a
  ),
  kept as (
    update sync_objects o set written_at = now() from held where o.association_id = held.id and o.name_key = held.key
  )
  update associations a
     set observed_generation = held.generation, status = 'SYNCED', dirty_since = null, updated_at = now(), claimed_by = null,
         claimed_until = null
    from held, asynchronous_commit where a.id = held.id`;
