import { type Ground, type } from '../ground.ts';
import type { Started } from '../processes.ts';

export interface Many {
  /** Prefix of the names of destinations and secrets. */
  readonly hint: string;
  readonly destinations: number;
  readonly secrets: number;
  /** The number of further associations of each destination, with secrets that have been deleted. */
  readonly deleted?: number;
  /** Fields that replace those of the destinations' body. */
  readonly body?: object;
}

/**
 * Associates each secret with each destination, as `<destination>/<secret>` at the external system. One association per destination is
 * made through the API and the others are copied from it, because thousands of requests would show nothing more. The copies are
 * not queued. Returns the names of the secrets, whose value is `{"v":"first"}`.
 */
export async function associateAll(ground: Ground, api: Started, many: Many): Promise<readonly string[]> {
  const { hint, destinations, secrets, deleted = 0, body = {} } = many;
  const names = Array.from({ length: secrets }, (_, index) => `${hint}-${index}`);
  const gone = Array.from({ length: deleted }, (_, index) => `${hint}-gone-${index}`);
  const client = ground.client(api);
  await Promise.all(names.map((name) => client.write(`secret/data/${name}`, { data: { v: 'first' } })));
  const template = { secret_name_template: '{{ .DestinationName }}/{{ .SecretPath }}' };
  for (let index = 0; index < destinations; index += 1) {
    const destination = `${hint}-${index}`;
    await ground.destination(api, destination, { ...body, ...template });
    const path = `sys/sync/destinations/${type}/${destination}/associations/set`;
    await client.write(path, { mount: 'secret', secret_name: names[0] });
  }
  await ground.query(copying, [[...names, ...gone], names[0]]);
  return names;
}

const copying = `
  insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                            adopt, desired, generation, forced_generation, status, records, updated_at, dirty_since)
  select destination_id, type, mount_id, mount_path, mount_accessor, name, granularity, template, adopt, desired, 1, 1,
         'PENDING', '[]', now(), now()
    from associations, unnest($1::text[]) as name
   where secret_name = $2 and name <> $2`;
