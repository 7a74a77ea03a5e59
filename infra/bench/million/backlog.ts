import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { times } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';
import type { Report } from './progress.ts';

/** The size: every secret is associated with every destination. */
export interface Size {
  readonly destinationsPerType: number;
  readonly secrets: number;
}

export const types: readonly string[] = definitions.map(({ type }) => type);

/** Secrets beyond the capacity, so that operations within and beyond the capacity are requested at the same time. */
export const secretsBeyond = 8;

export const associationsOf = ({ destinationsPerType, secrets }: Size): number =>
  destinationsPerType * types.length * secrets;

const width = 16;

/**
 * Creates destinations and secrets with the API, and the associations, which are in line, with one statement per destination: a
 * million requests would take longer than everything that is measured.
 */
export async function makeBacklog(stage: Stage, { destinationsPerType, secrets }: Size, report: Report): Promise<void> {
  await times(secrets + secretsBeyond, width, (index) => writeSecret(stage, index, 'first'));
  for (const type of types) await makeDestinations(stage, type, destinationsPerType);
  const { rows } = await stage.database.query<{ id: string }>('select id from destinations order by id');
  for (const [index, { id }] of rows.entries()) {
    await stage.database.query(associate, [id, template, secrets + secretsBeyond]);
    report('associations made', (index + 1) * (secrets + secretsBeyond), rows.length * (secrets + secretsBeyond));
  }
  await stage.database.query('vacuum analyze');
}

export const secretName = (index: number): string => `million/${index}`;

export const writeSecret = (stage: Stage, index: number, value: string): Promise<void> =>
  stage.write(`secret/data/${secretName(index)}`, { data: { value: `${value} ${index}` } });

async function makeDestinations(stage: Stage, type: string, count: number): Promise<void> {
  const fake = await (await loadFake(type))();
  try {
    await times(count, width, (index) =>
      stage.write(`sys/sync/destinations/${type}/million-${index}`, fake.destination),
    );
  } finally {
    await fake.close();
  }
}

/** Names that every type takes; one object per association. */
const template = 'K{{ .SecretPath | uppercase }}';

const associate = `
  insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                            adopt, desired, observed_generation, status, records, updated_at)
  select d.id, d.type, m.id, m.path, m.accessor, 'million/' || n, 'secret-path', $2, false, 'present', 1, 'SYNCED', '[]', now()
    from destinations d cross join mounts m cross join generate_series(0, $3::int - 1) n
   where d.id = $1 and m.path = 'secret/'`;
