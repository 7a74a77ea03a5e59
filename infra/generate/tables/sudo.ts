import type { Verb } from '#path/contract/request.ts';
import type { Row } from '#path/contract/row.ts';
import { realTable } from '../rows.ts';

const requests: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  write: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Every path that needs sudo, with its requests, from the rows of the path table. */
export function sudoPaths(): string {
  const found = Object.entries(realTable).flatMap(([mount, rows]) => rows.flatMap((row) => sudoRow(mount, row)));
  const lines = found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, verbs]) => `| \`${path}\` | ${verbs} |`);
  return ['| path | requests |', '| --- | --- |', ...new Set(lines)].join('\n');
}

function sudoRow(mount: string, { pattern, operations }: Row): readonly (readonly [string, string])[] {
  const verbs = Object.keys(requests).filter((verb) => operations[verb as Verb]?.marks.sudo === true);
  if (verbs.length === 0) return [];
  const path = `${mount}/${pattern}`.replace(/[:*](\w+)/g, '<$1>').replace(/\/$/, '');
  return [[path, verbs.map((verb) => requests[verb as Verb]).join(', ')]];
}
