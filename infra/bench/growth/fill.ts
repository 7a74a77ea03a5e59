import { randomUUID } from 'node:crypto';
import { hashToken } from '#auth/token/find/store.ts';
import { Secret } from '#core/secret.ts';
import { loadFake } from '#destinations/load.ts';
import { versionAad } from '#engines/kv/shared/sealing.ts';
import type { Report } from '../million/progress.ts';
import type { Stage } from '../stage.ts';
import { dropIndexes } from './indexes.ts';

export const type = 'deploy-host-project';
/** Versions of a secret, and secrets for each token. */
const versions = 5;
const secretsPerToken = 2;
const secretsPerFolder = 100;
const destinations = 100;
/** The usable rows are spread among the others. */
const slabs = 100;

/** The filled rows, and those that the measurements use, whose values can be decrypted. */
export interface Filled {
  readonly secrets: number;
  readonly paths: readonly string[];
  readonly tokens: readonly string[];
}

/** Every destination holds the same share of all associations, whatever their number. */
export async function makeDestinations(stage: Stage): Promise<void> {
  const fake = await (await loadFake(type))();
  try {
    for (let index = 0; index < destinations; index += 1) {
      await stage.write(`sys/sync/destinations/${type}/growth-${index}`, fake.destination);
    }
  } finally {
    await fake.close();
  }
}

/**
 * Fills the store up to `secrets` secrets with five versions each, an association and an external object for each secret, and a
 * token for every second one. Each slab has `used` divided by the number of slabs usable rows.
 */
export async function fill(stage: Stage, from: Filled, secrets: number, used: number, report: Report): Promise<Filled> {
  const restore = await dropIndexes(stage);
  const step = (secrets - from.secrets) / slabs;
  const made: { paths: string[]; tokens: string[] } = { paths: [], tokens: [] };
  for (let slab = 0; slab < slabs; slab += 1) {
    const first = Math.round(from.secrets + slab * step);
    const last = Math.round(from.secrets + (slab + 1) * step) - 1;
    for (const statement of statements) await stage.database.query(statement, [first, last]);
    const usable = used / slabs;
    for (let one = 0; one < usable; one += 1) {
      await makeUsable(stage, Math.floor(first + ((one + 0.5) * step) / usable), made);
    }
    report('secrets made', last + 1 - from.secrets, secrets - from.secrets);
  }
  report('indexes made', 0, 1);
  await restore();
  await stage.database.query('vacuum analyze');
  return { secrets, paths: [...from.paths, ...made.paths], tokens: [...from.tokens, ...made.tokens] };
}

/** Gives the newest version of a secret a value that can be decrypted, and a token a known text. */
async function makeUsable(stage: Stage, n: number, made: { paths: string[]; tokens: string[] }): Promise<void> {
  const { database, api } = stage;
  const { barrier } = api.store;
  const { rows } = await database.query<{ id: string; path: string }>(
    `select id, ${pathOf('$1::bigint')} as path from mounts where path = 'secret/'`,
    [n],
  );
  const [mount] = rows;
  if (mount === undefined) throw new Error('there is no mount secret/');
  const path = `${mount.path}-used`;
  const id = randomUUID();
  const data = barrier.seal('{"value":"first"}', versionAad({ mountId: mount.id, path, id }));
  for (const statement of usableRows) {
    await database.query(statement.text, [...statement.of({ path, id, data, n })]);
  }
  const token = `growth-${randomUUID()}`;
  const hash = hashToken(barrier, new Secret(token));
  await database.query(`${tokenColumns} select $1::bytea, $2::text, ${tokenValues}, now() + interval '30 days'`, [
    hash,
    token,
  ]);
  made.paths.push(path);
  made.tokens.push(token);
}

/** Folders are created in random order, as in practice. */
const pathOf = (n: string) => `'growth/' || substr(md5((${n} / ${secretsPerFolder})::text), 1, 12) || '/s' || ${n}`;

const actor = `'{"actor":"root","client_id":"0DHqvq2D77kL2/JTPSZkTMJbkFVmUu0TzMi0jiXcFy8=","operation":"create"}'::jsonb`;
const template = 'K{{ .SecretPath | uppercase }}';
const mounted = `cross join mounts m where m.path = 'secret/'`;

const secretColumns = `insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
  cas_required, delete_version_after, last_updated_by)`;
const secretValues = `${versions}, 0, now(), now(), 0, false, 0, ${actor}`;
const versionColumns = `insert into kv_versions (mount_id, path, version, id, data, created_time, destroyed, deletion_seen, created_by)`;
const associationColumns = `insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity,
  template, adopt, desired, observed_generation, status, records, updated_at)`;
const associationValues = `'${type}', m.id, m.path, m.accessor`;
const inLine = `'secret-path', '${template}', false, 'present', 1, 'SYNCED', '[]', now()`;
const tokenColumns = `insert into tokens (hash, accessor, policies, display_name, path, type, num_uses, period, explicit_max_ttl,
  creation_ttl, creation_time, renewable, orphan, entity_id, role, bound_cidrs, expire_at)`;
const tokenValues = `'{default}', 'token', 'auth/token/create', 'service', 0, 0, 0, 2592000, now(), true, true, '', '', '{}'`;
/** The filled destinations have consecutive ids. */
const destinationOf = (n: string) =>
  `(select min(id) from destinations where name like 'growth-%') + ${n} % ${destinations}`;

const statements = [
  `${secretColumns} select m.id, ${pathOf('n')}, ${secretValues} from generate_series($1::bigint, $2::bigint) n ${mounted}`,
  `${versionColumns} select m.id, ${pathOf('n')}, v, gen_random_uuid(), decode(repeat('00', 133), 'hex'), now(), false, true, ${actor}
     from generate_series($1::bigint, $2::bigint) n cross join generate_series(1, ${versions}) v ${mounted}`,
  `with made as (
     ${associationColumns} select ${destinationOf('n')}, ${associationValues}, ${pathOf('n')}, ${inLine}
       from generate_series($1::bigint, $2::bigint) n ${mounted} returning id, destination_id, secret_name)
   insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at, written_at,
                             remote_version, fingerprint, tag_keys)
   select id, destination_id, '', upper('K' || secret_name), upper('K' || secret_name), md5(id::text), now(), now(), '1', sha256(int8send(id)), '{}'
     from made`,
  `${tokenColumns} select sha256(int8send(n)), 'growth-' || n, ${tokenValues}, now() + interval '30 days' + random() * interval '30 days'
     from generate_series($1::bigint, $2::bigint) n where n % ${secretsPerToken} = 0`,
];

interface Usable {
  readonly path: string;
  readonly id: string;
  readonly data: Buffer;
  readonly n: number;
}

const usableRows: readonly { readonly text: string; of(one: Usable): readonly unknown[] }[] = [
  {
    text: `${secretColumns} select m.id, $1::text, ${secretValues} from mounts m where m.path = 'secret/'`,
    of: ({ path }) => [path],
  },
  {
    text: `${versionColumns} select m.id, $1::text, ${versions}, $2::uuid, $3::bytea, now(), false, true, ${actor} from mounts m where m.path = 'secret/'`,
    of: ({ path, id, data }) => [path, id, data],
  },
  {
    text: `${associationColumns} select ${destinationOf('$2::bigint')}, ${associationValues}, $1::text, ${inLine} from mounts m where m.path = 'secret/'`,
    of: ({ path, n }) => [path, n],
  },
];
