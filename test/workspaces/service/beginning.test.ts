import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const page = resolve(import.meta.dirname, '../../../docs/workspaces/README.md');

test('who follows the page about the beginning ends with a token of a team that makes workspaces', async () => {
  const text = await readFile(page, 'utf8');
  const steps = [...text.matchAll(/^(TOKEN)=\$(\w+)$|^api (\w+) (\S+)(?: '(.*)')?$/gm)];
  expect(steps).toHaveLength(7);
  const known: Record<string, string> = { ROOT_TOKEN: ground.service.rootToken };
  let token = '';
  for (const [, assigned, name = '', method = '', path = '', body] of steps) {
    if (assigned !== undefined) {
      token = known[name] ?? '';
      continue;
    }
    const filled = path.replaceAll(/\$(\w+)/g, (_all, variable: string) => known[variable] ?? '');
    const { status, item } = await ground.call(
      method,
      filled,
      body === undefined ? undefined : JSON.parse(body),
      token,
    );
    expect([200, 201], `${method} ${filled}`).toContain(status);
    if (item.type === 'users') known['USER_ID'] = item.id;
    if (item.type === 'teams') known['TEAM_ID'] = item.id;
    if (item.type === 'authentication-tokens') known['ADAS_TOKEN'] = String(item.attributes['token']);
  }
  // The last of them is the team's.
  const { item } = await ground.call('GET', '/organizations/acme', undefined, known['ADAS_TOKEN']);
  expect(item.attributes['permissions']).toMatchObject({ 'can-create-workspace': true, 'can-update': false });
});
