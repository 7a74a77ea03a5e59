import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../failure.ts';
import { one } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { type Copy, copiesAt, copiesOfSecret, copyTable, exitOf, isSettled } from './copies.ts';
import { targetOf } from './target.ts';
import { untilTrue } from './until.ts';

/** Pages of a replay; each queues at most some thousands of syncs. */
const pagesMax = 100_000;

export const replay: Verb = {
  name: 'replay',
  summary: 'Queue failed syncs again',
  options: [
    ['--type <type>', 'only destinations of this type'],
    ['--name <name>', 'only destinations of this name'],
    ['--status <status>', 'only syncs in this state; default: the three error states'],
    ['--all', 'all destinations'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['keyferry replay --type cloud-a-sm --name prod --yes', 'keyferry replay --all --yes'],
  async run({ client, questions, say }, given) {
    const filter = { type: given.text('type'), name: given.text('name'), sync_status: given.text('status') };
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    if (!isFiltered && !given.flag('all')) throw usage('name a filter, or --all', given.verb);
    const what = isFiltered ? 'that the filter names' : 'of all destinations';
    await questions.agree(`Replay the failed syncs ${what}?`, given.flag('yes'), given.verb);
    let [replayed, cursor] = [0, ''];
    for (let page = 0; page < pagesMax; page += 1) {
      const fields = { ...filter, ...(cursor === '' ? {} : { cursor }) };
      const { data, warnings } = await client.call(sync.replay, {}, fields);
      for (const warning of warnings) say(`warning: ${warning}`);
      replayed += Number(textOf(data, 'replayed') || 0);
      cursor = textOf(data, 'cursor');
      if (cursor === '') break;
      say(`${replayed} syncs are queued so far`);
    }
    return one({ replayed });
  },
};

export const wait: Verb = {
  name: 'wait',
  summary: 'Wait until a secret, or everything at a destination, is synced',
  arguments: [['[secret]', 'the secret, with its mount; without it, --to says which destination']],
  options: [
    ['--until <state>', 'synced (default): every copy is up to date or has failed'],
    ['--to <type/name>', 'the destination'],
    ['--timeout <time>', 'how long to wait; default: 5m'],
  ],
  examples: ['keyferry wait secret/my-app --until synced --timeout 1m', 'keyferry wait --to cloud-a-sm/prod'],
  async run(context, given) {
    const until = given.text('until') ?? 'synced';
    if (until !== 'synced') throw usage(`there is no state "${until}" to wait for: it is synced`, given.verb);
    const look = await lookOf(context, given.arguments[0], given.text('to'));
    let copies: readonly Copy[] = [];
    await untilTrue(context, given, async () => {
      copies = await look();
      return copies.every(isSettled);
    });
    return { ...copyTable(copies), exit: exitOf(copies) };
  },
};

async function lookOf({ client }: Context, secret: string | undefined, to: string | undefined) {
  if (secret === undefined) {
    const { type, name } = targetOf(to, 'wait');
    return () => copiesAt(client, type, name);
  }
  const { mount, path } = await placeOf(client, secret);
  return async () => {
    const copies = await copiesOfSecret(client, mount, path);
    return to === undefined ? copies : copies.filter(({ destination }) => destination === to);
  };
}
