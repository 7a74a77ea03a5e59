import type pg from 'pg';

/** The tables of the bare server: one secret per row, read by its key; versions are only added. */
export const bareTables = [
  `create table if not exists bare_secrets (path text collate "C" primary key, data text not null)`,
  `create table if not exists bare_versions (
     path text collate "C" not null, id uuid primary key, data text not null, created_time timestamptz not null)`,
];

export const selectStatement = {
  name: 'bare-read',
  text: 'select data from bare_secrets where path = $1',
};
export const insertStatement = {
  name: 'bare-write',
  text: 'insert into bare_versions (path, id, data, created_time) values ($1, gen_random_uuid(), $2, now())',
};

/** Fills the table that the reads use. */
export async function fillBareRows(database: pg.Pool, count: number, data: string): Promise<void> {
  for (const statement of bareTables) await database.query(statement);
  await database.query(
    `insert into bare_secrets select 'bench/' || n, $2 from generate_series(0, $1::int - 1) as n on conflict do nothing`,
    [count, data],
  );
}
