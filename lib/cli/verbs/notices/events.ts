import { notices } from '#client/operations/notices.ts';
import { memberOf, type ObjectValue, printJson, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { type Result, rowsOf, text } from '../../output/result.ts';
import { shown } from '../../output/table.ts';
import type { Given, Verb } from '../../verb.ts';
import { newsSeconds, patient, rest } from '../watch.ts';

/** Events of one page, the most that a reply has. */
const pageMax = 500;
const secondsBetweenFailures = 2;
/** How long `--follow` goes on without `--for`: until it is interrupted. */
const unlimitedMs = 1_000_000_000_000;

export const events: Verb = {
  name: 'events',
  summary: 'Print the events of the sync, the oldest first: NDJSON in a pipe, lines on a terminal',
  options: [
    ['--after <id>', 'only events after this one'],
    ['-f, --follow', 'wait for further events until interrupted'],
    ['--for <time>', 'end --follow after this time, such as 10m', { with: ['--follow'] }],
  ],
  examples: ['keyferry events', 'keyferry events --follow --for 1s -o ndjson'],
  async run(context, given) {
    const isFollowing = given.flag('follow');
    const endMs = performance.now() + given.duration('for', unlimitedMs);
    let [after, leftMs] = [given.text('after') ?? '', 0];
    const read = () =>
      context.client.call(notices.readEvents, {}, { ...fieldsOf(after), wait: newsSeconds(context, leftMs / 1_000) });
    const readOn = patient(context, read);
    for (;;) {
      leftMs = isFollowing ? Math.max(0, endMs - performance.now()) : 0;
      // Where no further read follows, a failure is the end.
      const reply = await (leftMs > 0 ? readOn() : read());
      if (reply === undefined) {
        await rest(context, Math.min(leftMs / 1_000, secondsBetweenFailures));
        continue;
      }
      const { data } = reply;
      const found = memberOf(data, 'events');
      const page = (Array.isArray(found) ? found : []) as readonly ObjectValue[];
      if (page.length > 0) await context.show(printed(context, given, page));
      const last = textOf(data, 'after');
      const isEnd = page.length === 0 && last === (after === '' ? '0' : after);
      if (isEnd && leftMs === 0) return undefined;
      after = last;
    }
  },
};

const fieldsOf = (after: string) => ({ limit: pageMax, ...(after === '' ? {} : { after }) });

function printed({ host, settings }: Context, given: Given, page: readonly ObjectValue[]): Result {
  if (settings.format !== 'table' || given.text('output') !== undefined)
    return rowsOf({ id: 'id', at: 'at', kind: 'kind', text: 'what' }, page.map(plain));
  const line = host.output.isTTY === true ? lineOf : printJson;
  return text(page.map((event) => `${line(event)}\n`).join(''));
}

const plain = (event: ObjectValue): { readonly [key: string]: Value } =>
  Object.fromEntries(Object.entries(event).map(([name, value]) => [name, value ?? null]));

const lineOf = (event: Value): string =>
  shown([textOf(event, 'at'), textOf(event, 'kind').padEnd(26), textOf(event, 'text')].join('  '));
