import { sql } from 'kysely';
import { stateLevels } from '../../../access/levels.ts';
import { stateVersionsWhere } from '../../../states/state-versions/store.ts';
import { stateVersionOf } from '../../../states/state-versions/view.ts';
import { type Include, idsOf } from './including.ts';

/** Where the caller may read the state. */
export const currentStateVersion: Include = async ({ parts, origin, found }) => {
  const readable = found.filter(({ levels }) => levels.state_versions >= stateLevels.read);
  const ids = idsOf(readable.map(({ workspace }) => workspace.current_state_version_id));
  if (ids.length === 0) return { resources: [] };
  const condition = sql`s.id = any((select ${ids}::text[])::text[])`;
  const rows = await stateVersionsWhere(parts.store.db, condition, { size: ids.length, offset: 0 });
  const readers = new Map(
    readable.map(({ workspace, levels, standing }) => [
      workspace.id,
      { origin, level: levels.state_versions, caller: standing.caller },
    ]),
  );
  return {
    resources: rows.flatMap((row) => {
      const reader = readers.get(row.workspace_id);
      return reader === undefined ? [] : [stateVersionOf(parts, row, reader)];
    }),
  };
};
