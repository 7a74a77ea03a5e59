import { setTimeout as pause } from 'node:timers/promises';
import type { Fake } from '#destinations/fake.ts';
import type { Answered, Call } from './client.ts';
import { metadataDeleted, readable, type State, sameData, turned, type Version, written } from './model/secret.ts';
import type { Random } from './random.ts';
import {
  bodyOf,
  type ChaosDestination,
  type ChaosSecret,
  type Setting,
  type Shape,
  secretKeys,
  tagKeys,
  templateCount,
  templateText,
} from './setting.ts';

/** One client and the resources it may change. */
export interface Player {
  readonly index: number;
  readonly setting: Setting;
  readonly random: Random;
  readonly call: Call;
  readonly fakes: ReadonlyMap<string, Fake>;
  readonly complaints: string[];
}

export interface Action {
  readonly name: string;
  readonly weight: number;
  /** The configuration, of which only one exists. */
  readonly onlyFirst?: boolean;
  run(player: Player): Promise<Answered['kind']>;
}

export const actions: readonly Action[] = [
  { name: 'write', weight: 34, run: write },
  { name: 'read', weight: 8, run: read },
  { name: 'delete', weight: 4, run: (player) => turn(player, 'DELETE') },
  { name: 'delete versions', weight: 2, run: (player) => turn(player, 'delete') },
  { name: 'undelete', weight: 4, run: (player) => turn(player, 'undelete') },
  { name: 'destroy', weight: 1, run: (player) => turn(player, 'destroy') },
  { name: 'delete metadata', weight: 2, run: deleteMetadata },
  { name: 'set', weight: 26, run: (player) => changeAssociation(player, 'set') },
  { name: 'remove', weight: 8, run: (player) => changeAssociation(player, 'remove') },
  { name: 'change template', weight: 1, run: changeTemplate },
  { name: 'change tags', weight: 1, run: changeTags },
  { name: 'purge', weight: 0.25, run: purge },
  { name: 'replay', weight: 1, run: replay },
  { name: 'pause', weight: 3, onlyFirst: true, run: pauseSync },
  { name: 'capacity', weight: 3, onlyFirst: true, run: changeCapacity },
];

const mount = 'secret';

/** Values recur, so that a change may restore an earlier value. Some are new. */
function someData(random: Random): Version['data'] {
  const keys = secretKeys.filter(() => random.chance(0.6));
  return Object.fromEntries(
    keys.map((key) => [key, random.chance(0.7) ? `${key}-${random.whole(1, 3)}` : `n${random.whole(1, 1e9)}`]),
  );
}

function mySecret({ setting, index, random }: Player): ChaosSecret {
  return random.pick(setting.secrets.filter(({ owner }) => owner === undefined || owner === index));
}

const myDestination = ({ setting, index, random }: Player): ChaosDestination | undefined => {
  const mine = setting.destinations.filter(({ owner }) => owner === index);
  return mine.length === 0 ? undefined : random.pick(mine);
};

function note(secret: ChaosSecret, answered: Answered, make: (state: State) => State): void {
  if (secret.owner !== undefined && answered.kind !== 'refused') secret.model.change(make, answered.kind === 'done');
}

export async function write(player: Player) {
  const secret = mySecret(player);
  const data = someData(player.random);
  const answered = await player.call('POST', `${mount}/data/${secret.name}`, { data });
  note(secret, answered, written(data));
  if (answered.kind === 'refused') player.complaints.push(`a write of ${secret.name} was refused: ${answered.text}`);
  if (answered.kind === 'done' && secret.owner !== undefined) {
    const number = answered.data['version'];
    const known = secret.model.shown();
    if (!secret.model.agree(({ current }) => current === number)) {
      player.complaints.push(
        `${secret.name}: a write became version ${String(number)}, but it had to be one of ${known}`,
      );
    }
  }
  return answered.kind;
}

async function read(player: Player) {
  const secret = mySecret(player);
  const answered = await player.call('GET', `${mount}/data/${secret.name}`);
  if (answered.kind === 'unknown' || secret.owner === undefined) return answered.kind;
  const found = answered.kind === 'done' ? ((answered.data['data'] as Version['data'] | null) ?? undefined) : undefined;
  const known = secret.model.shown();
  if (!secret.model.agree((state) => sameData(readable(state), found))) {
    player.complaints.push(`${secret.name} reads ${JSON.stringify(found)}, but it had to be one of ${known}`);
  }
  return answered.kind;
}

async function turn(player: Player, verb: 'DELETE' | 'delete' | 'undelete' | 'destroy') {
  const secret = mySecret(player);
  if (verb === 'DELETE') {
    const answered = await player.call('DELETE', `${mount}/data/${secret.name}`);
    note(secret, answered, turned('deleted'));
    return answered.kind;
  }
  const first = player.random.whole(1, 8);
  const versions = Array.from({ length: player.random.whole(1, 12) }, (_, index) => first + index);
  const answered = await player.call('POST', `${mount}/${verb}/${secret.name}`, { versions });
  const gone = { delete: 'deleted', undelete: 'no', destroy: 'destroyed' } as const;
  note(secret, answered, turned(gone[verb], versions));
  return answered.kind;
}

async function deleteMetadata(player: Player) {
  const secret = mySecret(player);
  const answered = await player.call('DELETE', `${mount}/metadata/${secret.name}`);
  note(secret, answered, metadataDeleted);
  return answered.kind;
}

async function changeAssociation(player: Player, verb: 'set' | 'remove') {
  const { associations, destinations } = player.setting;
  const secret = mySecret(player);
  const destination = player.random.pick(destinations);
  const sure = associations.begin(destination.id);
  const path = `sys/sync/destinations/${destination.id}/associations/${verb}`;
  const answered = await player.call('POST', path, { mount, secret_name: secret.name });
  if (secret.owner === undefined || answered.kind === 'refused') return answered.kind;
  const expected = verb === 'set' ? 'present' : 'absent';
  associations.settle(destination.id, secret.name, answered.kind === 'done' && sure() ? expected : 'maybe');
  return answered.kind;
}

async function change(player: Player, destination: ChaosDestination, body: object, make: (shape: Shape) => Shape) {
  const answered = await player.call('PATCH', `sys/sync/destinations/${destination.id}`, body);
  if (answered.kind !== 'refused') destination.model.change(make, answered.kind === 'done');
  return answered.kind;
}

async function changeTemplate(player: Player) {
  const destination = myDestination(player);
  if (destination === undefined) return 'refused';
  const { random } = player;
  const template = random.whole(0, templateCount - 1);
  const granularity = random.pick(['secret-path', 'secret-key'] as const);
  const body = { granularity, secret_name_template: templateText(template, granularity) };
  return change(player, destination, body, (shape) => ({ ...shape, template, granularity }));
}

async function changeTags(player: Player) {
  const destination = myDestination(player);
  if (destination?.definition.tags === undefined) return 'refused';
  const { random } = player;
  const kept = tagKeys.filter(() => random.chance(0.5));
  const tags = Object.fromEntries(kept.map((key) => [key, `v${random.whole(1, 3)}`]));
  const body = { custom_tags: tags, tags_to_remove: tagKeys.filter((key) => !kept.includes(key)) };
  return change(player, destination, body, (shape) => ({ ...shape, tags }));
}

const recreateTries = 40;

/** Purges a destination and, once it is gone, creates it again under the same name. */
async function purge(player: Player) {
  const destination = myDestination(player);
  if (destination === undefined) return 'refused';
  const path = `sys/sync/destinations/${destination.id}`;
  player.setting.associations.purgeBegins(destination.id);
  destination.model.giveUp();
  const answered = await player.call('DELETE', `${path}?purge=true`);
  await makeAgain(player, destination);
  return answered.kind;
}

/** Anything unfinished at the end stays uncertain. */
export async function makeAgain(
  player: Pick<Player, 'call' | 'setting'>,
  destination: ChaosDestination,
): Promise<boolean> {
  const path = `sys/sync/destinations/${destination.id}`;
  const shape: Shape = { template: 0, granularity: destination.definition.granularity, tags: {} };
  for (let tries = 0; tries < recreateTries; tries += 1) {
    const made = await player.call('POST', path, bodyOf(destination, shape));
    const shown = made.kind === 'done' ? await player.call('GET', path) : made;
    if (shown.kind === 'done' && (shown.data['purge_initiated_at'] ?? null) === null) {
      destination.model.restart(shape);
      player.setting.associations.purgeIsOver(destination.id);
      return true;
    }
    await pause(150);
  }
  return false;
}

async function replay({ call, random, setting }: Player) {
  const type = random.chance(0.5) ? { type: random.pick(setting.destinations).definition.type } : {};
  return (await call('POST', 'sys/sync/replay', type)).kind;
}

/** Once the switch is acknowledged, no external system is called until it is switched back. */
async function pauseSync(player: Player) {
  const off = await player.call('PATCH', 'sys/sync/config', { disabled: true });
  const before = callCount(player);
  await pause(player.random.whole(50, 500));
  const calls = callCount(player) - before;
  if (off.kind === 'done' && calls > 0) player.complaints.push(`${calls} calls went out while the sync was disabled`);
  await enable(player.call);
  return off.kind;
}

export async function enable(call: Call): Promise<boolean> {
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await call('PATCH', 'sys/sync/config', { disabled: false, queue_capacity: 1_000_000 })).kind === 'done')
      return true;
    await pause(100);
  }
  return false;
}

async function changeCapacity({ call, random }: Player) {
  const queue_capacity = random.chance(0.5) ? random.whole(2, 40) : 1_000_000;
  return (await call('PATCH', 'sys/sync/config', { queue_capacity })).kind;
}

function callCount({ fakes }: Player): number {
  let count = 0;
  for (const fake of fakes.values()) for (const calls of fake.calls().values()) count += calls;
  return count;
}
