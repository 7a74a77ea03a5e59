import type { FakeObject } from '#destinations/fake.ts';
import type { Call } from './client.ts';
import { type State, synced, type Version } from './model/secret.ts';
import { query } from './quiet.ts';
import { type ChaosDestination, nameOf, type Setting, type Shape, templateText } from './setting.ts';
import type { World } from './world.ts';

/** Compares the knowledge of the clients with the store and the stand-ins at a quiet time. Returns every difference. */
export async function check(world: World, setting: Setting, call: Call): Promise<readonly string[]> {
  const states = new Map<string, State>();
  for (const { name } of setting.secrets) states.set(name, await stateOf(call, name));
  const rows = await query<AssociationRow>(world.databaseUrl, associationRows);
  const found = [
    ...lostWrites(setting, states),
    ...lostAssociations(setting, rows),
    ...(await lostShapes(setting, call)),
    ...wrongObjects(world, setting, states, rows),
    ...(await wrongReads(setting, states, rows, call)),
    ...(await leftRecords(world)),
  ];
  return found;
}

interface AssociationRow {
  readonly type: string;
  readonly name: string;
  readonly secret_name: string;
  readonly template: string;
  readonly granularity: string;
  readonly status: string;
  readonly tags: Readonly<Record<string, string>>;
}

const associationRows = `select a.type, d.name, a.secret_name, a.template, a.granularity, a.status, d.custom_tags as tags
  from associations a join destinations d on d.id = a.destination_id where a.desired = 'present'`;

/** A secret with all its versions, as the API shows it. */
async function stateOf(call: Call, name: string): Promise<State> {
  const metadata = await call('GET', `secret/metadata/${name}`);
  if (metadata.kind === 'refused') return { current: 0, versions: [] };
  if (metadata.kind === 'unknown') throw new Error(`${name} could not be read: ${metadata.text}`);
  const known = metadata.data['versions'] as Readonly<Record<string, { deletion_time: string; destroyed: boolean }>>;
  const versions: Version[] = [];
  for (const [number, { deletion_time, destroyed }] of Object.entries(known)) {
    const gone = destroyed ? 'destroyed' : deletion_time === '' ? 'no' : 'deleted';
    versions.push({ number: Number(number), gone, data: gone === 'no' ? await dataOf(call, name, number) : {} });
  }
  versions.sort((left, right) => left.number - right.number);
  return { current: Number(metadata.data['current_version']), versions };
}

async function dataOf(call: Call, name: string, version: string): Promise<Version['data']> {
  const answered = await call('GET', `secret/data/${name}?version=${version}`);
  if (answered.kind !== 'done') throw new Error(`version ${version} of ${name} could not be read: ${answered.text}`);
  return answered.data['data'] as Version['data'];
}

function lostWrites(setting: Setting, states: ReadonlyMap<string, State>): readonly string[] {
  return setting.secrets.flatMap(({ name, owner, model }) => {
    const found = states.get(name);
    if (owner === undefined || found === undefined || !model.exact) return [];
    const known = model.shown();
    if (model.agree((state) => comparable(state) === comparable(found))) return [];
    return [`${name} is ${JSON.stringify(found)}, but by what was acknowledged it is one of ${known}`];
  });
}

/** Deleted versions cannot be read, so their data is not compared. */
function comparable({ current, versions }: State): string {
  const shown = versions.map(({ number, gone, data }) => [
    number,
    gone,
    gone === 'no' ? Object.entries(data).toSorted() : [],
  ]);
  return JSON.stringify([current, shown]);
}

function lostAssociations(
  { associations, destinations, secrets }: Setting,
  rows: readonly AssociationRow[],
): readonly string[] {
  const there = new Set(rows.map(({ type, name, secret_name }) => `${type}/${name} ${secret_name}`));
  const owned = secrets.filter(({ owner }) => owner !== undefined);
  return destinations.flatMap(({ id }) =>
    owned.flatMap(({ name }) => {
      const expected = associations.expected(id, name);
      const found = there.has(`${id} ${name}`) ? 'present' : 'absent';
      return expected === 'maybe' || expected === found
        ? []
        : [`the association of ${name} with ${id} is ${found}, acknowledged was ${expected}`];
    }),
  );
}

async function lostShapes({ destinations }: Setting, call: Call): Promise<readonly string[]> {
  const found = destinations.map(async ({ id, model }) => {
    if (!model.exact) return [];
    const answered = await call('GET', `sys/sync/destinations/${id}`);
    if (answered.kind !== 'done') return [`destination ${id} is gone: ${answered.text}`];
    const options = answered.data['options'];
    const known = model.shown();
    return model.agree((shape) => optionsOf(shape) === sortedText(options))
      ? []
      : [`${id} is ${JSON.stringify(options)}, but by what was acknowledged it is one of ${known}`];
  });
  return (await Promise.all(found)).flat();
}

const optionsOf = ({ template, granularity, tags }: Shape): string =>
  sortedText({
    granularity_level: granularity,
    secret_name_template: templateText(template, granularity),
    custom_tags: tags,
  });

function sortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${key}:${sortedText(item)}`).join()}}`;
}

interface Expected {
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Expected values at the remote, by name. */
function objectsOf(row: AssociationRow, state: State | undefined): ReadonlyMap<string, Expected> {
  const data = state === undefined ? undefined : synced(state);
  if (data === undefined) return new Map();
  const object = (key: string, value: string) =>
    [nameOf(row.template, row.name, row.secret_name, key), { value, tags: row.tags }] as const;
  if (row.granularity === 'secret-path') return new Map([object('', JSON.stringify(data))]);
  return new Map(Object.entries(data).map(([key, value]) => object(key, value)));
}

function wrongObjects(
  world: World,
  setting: Setting,
  states: ReadonlyMap<string, State>,
  rows: readonly AssociationRow[],
): readonly string[] {
  return [...world.fakes].flatMap(([type, fake]) => {
    const mine = rows.filter((row) => row.type === type);
    const expected = new Map(mine.flatMap((row) => [...objectsOf(row, states.get(row.secret_name))]));
    const found = fake.objects();
    const definition = setting.destinations.find((one) => one.definition.type === type)?.definition;
    const builtIn = Object.keys(definition?.tags?.builtIn('') ?? {});
    return [
      ...[...expected.keys()].filter((name) => !found.has(name)).map((name) => `${type}: ${name} is missing`),
      ...[...found.keys()]
        .filter((name) => !expected.has(name))
        .map((name) => `${type}: ${name} is there and should not be`),
      ...[...expected].flatMap(([name, wanted]) =>
        differences(`${type}: ${name}`, wanted, found.get(name), builtIn, definition?.tags !== undefined),
      ),
    ];
  });
}

function differences(
  what: string,
  wanted: Expected,
  found: FakeObject | undefined,
  builtIn: readonly string[],
  tagged: boolean,
): readonly string[] {
  if (found === undefined) return [];
  const own = Object.fromEntries(Object.entries(found.tags).filter(([key]) => !builtIn.includes(key)));
  const stale = found.value === wanted.value ? [] : [`${what} holds ${found.value}, it should be ${wanted.value}`];
  const tags = !tagged || sortedText(own) === sortedText(wanted.tags);
  return tags
    ? stale
    : [...stale, `${what} has the tags ${sortedText(own)}, they should be ${sortedText(wanted.tags)}`];
}

/** What the API shows of each association. */
async function wrongReads(
  setting: Setting,
  states: ReadonlyMap<string, State>,
  rows: readonly AssociationRow[],
  call: Call,
): Promise<readonly string[]> {
  const found = setting.destinations.map(async (destination) => {
    const answered = await call('GET', `sys/sync/destinations/${destination.id}/associations`);
    if (answered.kind === 'unknown') return [`${destination.id} could not be read: ${answered.text}`];
    const shown = answered.kind === 'done' ? Object.values(answered.data['associated_secrets'] ?? {}) : [];
    return sameLines(destination, linesShown(shown), linesExpected(destination, states, rows));
  });
  return (await Promise.all(found)).flat();
}

interface ShownAssociation {
  readonly secret_name: string;
  readonly sub_key: string;
  readonly external_name: string;
  readonly sync_status: string;
}

const linesShown = (shown: readonly ShownAssociation[]): readonly string[] =>
  shown.map(({ secret_name, sub_key, external_name, sync_status }) =>
    [secret_name, sub_key, external_name, sync_status].join(' '),
  );

function linesExpected(
  { id }: ChaosDestination,
  states: ReadonlyMap<string, State>,
  rows: readonly AssociationRow[],
): readonly string[] {
  return rows
    .filter(({ type, name }) => `${type}/${name}` === id)
    .flatMap((row) => {
      const data = synced(states.get(row.secret_name) ?? { current: 0, versions: [] });
      const keys = data === undefined ? [] : row.granularity === 'secret-path' ? [''] : Object.keys(data);
      if (keys.length === 0) return [[row.secret_name, '', '', 'UNSYNCED'].join(' ')];
      return keys.map((key) =>
        [row.secret_name, key, nameOf(row.template, row.name, row.secret_name, key), 'SYNCED'].join(' '),
      );
    });
}

function sameLines({ id }: ChaosDestination, shown: readonly string[], expected: readonly string[]): readonly string[] {
  return [
    ...expected.filter((line) => !shown.includes(line)).map((line) => `${id} does not tell: ${line}`),
    ...shown.filter((line) => !expected.includes(line)).map((line) => `${id} shows: ${line}`),
  ];
}

/** Objects that were meant to be written but are in no record, and objects of unknown origin. */
async function leftRecords({ databaseUrl }: World): Promise<readonly string[]> {
  const rows = await query<{ text: string }>(
    databaseUrl,
    `select 'the intent of ' || external_name || ' is left' as text from sync_objects where written_at is null
     union all
     select external_name || ' was removed and is still remembered' from sync_objects where removed_at is not null
     union all
     select 'association ' || id || ' is to go and is still there' from associations where desired = 'absent'`,
  );
  return rows.map(({ text }) => text);
}
