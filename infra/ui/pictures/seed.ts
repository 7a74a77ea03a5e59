import type { Fake } from '#destinations/fake.ts';
import type { ApiClient } from '../../demo/client.ts';

/** Destinations as teams have them, by name: their type, and what is wrong with them. */
const places = {
  'payments-production': { type: 'cloud-a-sm', folders: ['payments', 'ledger', 'fraud'], stage: 'production' },
  'payments-staging': { type: 'cloud-a-sm', folders: ['payments', 'ledger'], stage: 'staging' },
  'storefront-production': { type: 'cloud-b-kv', folders: ['storefront', 'search'] },
  'data-platform': { type: 'cloud-c-sm', folders: ['warehouse', 'events', 'reports'] },
  'mobile-builds': { type: 'repo-host', folders: ['mobile'] },
  'partner-portal': { type: 'cloud-a-sm', folders: ['partners'], wrongKey: true },
} as const;

export type PlaceName = keyof typeof places;
export const placeNames = Object.keys(places) as readonly PlaceName[];
export const typeOf = (name: PlaceName): string => places[name].type;

const names = ['postgres', 'redis', 'smtp', 'object-store', 'signing-key', 'webhook', 'session', 'metrics-push'];

/** Associations that the seed makes. */
export const associations = Object.values(places).reduce((sum, { folders }) => sum + folders.length * names.length, 0);

export interface SeededStage {
  readonly api: ApiClient;
  readonly fakes: ReadonlyMap<string, Fake>;
}

/** Writes secrets of several teams and sends them to their destinations. Some copies are then changed by hand. */
export async function seed({ api, fakes }: SeededStage): Promise<void> {
  const folders = new Set(Object.values(places).flatMap(({ folders }) => [...folders]));
  for (const folder of folders)
    for (const name of names)
      await api.write(`secret/data/${folder}/${name}`, { data: { user: `${folder}-app`, password: 'for-a-picture' } });
  for (const name of placeNames) {
    const { type, folders } = places[name];
    const wrong = 'wrongKey' in places[name] ? { secret_access_key: 'not-the-key' } : {};
    const named = 'stage' in places[name] ? { secret_name_template: `${places[name].stage}/{{ .SecretPath }}` } : {};
    await api.write(`sys/sync/destinations/${type}/${name}`, { ...fakes.get(type)?.destination, ...wrong, ...named });
    for (const folder of folders)
      await api.write(`sys/sync/destinations/${type}/${name}/associations/set`, {
        mount: 'secret',
        secret_prefix: `${folder}/`,
      });
  }
}

/** Changes some copies at a destination, as a user does by hand, so that a plan has something to do. */
export function changeByHand(fakes: SeededStage['fakes'], name: PlaceName): void {
  const fake = fakes.get(typeOf(name));
  const ours = [...(fake?.objects().keys() ?? [])].filter((key) => key.startsWith('production/'));
  for (const key of ours.slice(0, 3)) fake?.change(key, 'changed by hand');
}

/** Charts of the last hour, as the sweep samples them in ten seconds each. */
export const samples = [
  `insert into sync_sample_slots
   select to_timestamp(floor(extract(epoch from now()) / 10) * 10 - n * 10), 6 + (9 * sin(n / 21.0))::int, 1000000
     from generate_series(1, 358) n on conflict do nothing`,
  `insert into sync_samples
   select d.namespace_id, s.slot, d.type, d.name, greatest(0, 3 + (3 * sin(extract(epoch from s.slot) / 200.0))::int),
          2 + (extract(epoch from s.slot)::bigint / 10 % 9)::int, greatest(0, 9 + (6 * sin(extract(epoch from s.slot) / 340.0))::int),
          case when d.name = 'partner-portal' then 2 else 0 end,
          case when d.name = 'partner-portal' then '{"credentials": 2}'::jsonb else '{}'::jsonb end,
          greatest(0, 9 + (6 * sin(extract(epoch from s.slot) / 340.0 + 0.7))::int)
     from sync_sample_slots s cross join destinations d on conflict do nothing`,
];
