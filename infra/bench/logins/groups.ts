import { Kysely, PostgresDialect } from 'kysely';
import { readFacts } from '#auth/identity/facts/read.ts';
import type { Database } from '#store/tables.ts';
import { type Figure, median } from '../measure/figure.ts';
import type { Bench } from '../section.ts';

const groupCount = 1_000;
const entityId = 'bench-entity';

/** The look-up of an entity with many groups. The statements are counted where they are sent. */
export async function groupsOfEntity({ stage, quick, report }: Bench): Promise<readonly Figure[]> {
  let statements = 0;
  const dialect = new PostgresDialect({ pool: stage.database });
  const db = new Kysely<Database>({
    dialect,
    log() {
      statements += 1;
    },
  });
  await fill(stage.database);
  report(`looking up an entity with ${groupCount} groups`);
  const rounds = quick ? 20 : 200;
  const milliseconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const { groupIds } = await readFacts({ db }, entityId, 'bench');
    milliseconds.push(performance.now() - began);
    if (groupIds.length !== groupCount) throw new Error(`${groupIds.length} of ${groupCount} groups`);
  }
  return [
    {
      what: `Statements to look up an entity with ${groupCount} groups`,
      value: statements / rounds,
      unit: '',
      target: { bound: 1 },
    },
    { what: '  time of it', value: median(milliseconds), unit: 'ms' },
  ];
}

async function fill(database: Bench['stage']['database']): Promise<void> {
  await database.query(
    `insert into entities (id, namespace_id, name, name_key, created_at, updated_at) values ($1, 'root', $1, $1, now(), now())`,
    [entityId],
  );
  await database.query(
    `with made as (
       insert into identity_groups (id, namespace_id, name, name_key, type, policies, created_at, updated_at)
       select 'bench-' || n, 'root', 'bench-' || n, 'bench-' || n, 'internal', array['bench-' || n], now(), now()
         from generate_series(1, $2::int) as n returning id)
     insert into group_entities (entity_id, group_id) select $1, id from made`,
    [entityId, groupCount],
  );
  await database.query('analyze identity_groups, group_entities');
}
