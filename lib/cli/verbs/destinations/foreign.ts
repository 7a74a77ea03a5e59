import { type Rows, rowsOf } from '#cli/output/result.ts';
import type { Verb } from '#cli/verb.ts';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { targetOf } from '../sync/target.ts';

/** Objects of one page, the most that a reply has. */
const pageMax = 500;
const limitMax = 1_000_000;

export const foreign: Verb = {
  name: 'foreign',
  summary: 'List objects at a destination that match its name template but belong to no sync',
  arguments: [['<type/name>', 'the destination, such as cloud-a-sm/prod']],
  options: [
    ['--limit <count>', 'at most this many; default: 100', { without: ['--all'] }],
    ['--all', 'all of them, however many pages that takes'],
  ],
  examples: ['keyferry foreign cloud-a-sm/prod', 'keyferry foreign cloud-a-sm/prod --all -o ndjson'],
  async run({ client, say }, given): Promise<Rows> {
    const target = targetOf(given.argument(0), given.verb);
    const limit = given.flag('all') ? limitMax : given.count('limit', 100, { min: 1, max: limitMax });
    const found: Value[] = [];
    let after = '';
    do {
      const fields = { limit: Math.min(pageMax, limit - found.length), after: after || undefined };
      const { data } = await client.call(sync.foreignAt, target, fields);
      const objects = memberOf(data, 'objects');
      found.push(...(Array.isArray(objects) ? objects : []));
      after = textOf(data, 'after');
      const prefix = textOf(data, 'prefix');
      if (prefix === '' && found.length === 0 && after === '')
        say('the name template has no fixed beginning, so all objects of the destination were listed');
    } while (after !== '' && found.length < limit);
    if (after !== '') say(`${found.length} are shown, and there may be more; --all shows them`);
    return table(found);
  },
};

function table(objects: readonly Value[]): Rows {
  const rows = objects.map((object) => {
    const tags = memberOf(object, 'tag_names');
    const holder = textOf(object, 'in_place_of', 'mount');
    return {
      name: textOf(object, 'name'),
      origin: textOf(object, 'origin'),
      in_place_of: holder === '' ? '' : `${holder}/${textOf(object, 'in_place_of', 'secret_name')}`,
      changed_at: textOf(object, 'changed_at'),
      version: textOf(object, 'version'),
      tags: (Array.isArray(tags) ? tags : []).map(String).join(', '),
    };
  });
  const columns = { name: 'name', origin: 'origin', in_place_of: 'in place of', changed_at: 'changed' };
  return rowsOf(columns, rows, { version: 'version', tags: 'tags' });
}
