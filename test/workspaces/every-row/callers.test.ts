import { beforeAll, describe, expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';
import { everyRow, filled, parametersOf, shown } from './rows.ts';
import { type Seed, seedOf } from './seed.ts';

// Every row of the service, whichever helper of it has it, as nobody and as somebody who has nothing to do with it.
const ground = workspaceGround();
let seed: Seed;
let stranger = '';

beforeAll(async () => {
  seed = await seedOf(ground);
  const user = await ground.user((await ground.organization()).id);
  stranger = user.token;
});

const body = (method: string) => (method === 'GET' ? undefined : { data: { type: 'things', attributes: {} } });

/** They answer about the caller alone. */
const aboutTheCaller = /\/api\/v2\/(?:account\/\w+|organizations|organization-memberships|ping)$/;

describe('nobody', () => {
  test.each(['', 'nobody', 'x.keyferryv1.y', 'hvs.none'])('gets past the door with the token "%s"', async (token) => {
    const rows = everyRow(ground).filter(({ open }) => open !== true);
    expect(rows.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const row of rows) {
      const path = filled(row, (name) => seed.valueFor(row.path, name));
      const { status, text } = await ground.call(row.method, path, body(row.method), token);
      const isRefused = status === 401 && text === '{"errors":[{"status":"401","title":"unauthorized"}]}';
      if (!isRefused) wrong.push(`${shown(row)}: ${status} ${text.slice(0, 100)}`);
    }
    expect(wrong).toEqual([]);
  });

  test('needs a token for what is open, and those rows are few', async () => {
    const open = everyRow(ground).filter((row) => row.open === true);
    for (const row of open) {
      const path = filled(row, (name) => seed.valueFor(row.path, name), ground.service.address);
      expect((await ground.call(row.method, path, body(row.method), 'nobody')).status, shown(row)).not.toBe(401);
    }
    expect(open.map(shown).sort()).toEqual([
      'GET /.well-known/terraform.json',
      'GET /api/meta/ip-ranges',
      'GET /api/v2/ping',
      'GET /api/v2/run-logs/:grant',
      'GET /api/v2/state-files/:grant',
      'PUT /api/v2/configuration-files/:grant',
      'PUT /api/v2/run-logs/:grant',
      'PUT /api/v2/state-files/:grant',
    ]);
  });
});

test('a parameter that needs no token beside it is a secret, and marked as one', () => {
  const open = everyRow(ground).filter((row) => row.open === true && parametersOf(row).length > 0);
  expect(open.map(({ secrets }) => Object.keys(secrets ?? {}))).toEqual(open.map(parametersOf));
  expect(open.length).toBeGreaterThan(3);
});

describe('a stranger', () => {
  test('learns of no row whether there is what its path names', async () => {
    const rows = everyRow(ground).filter((row) => row.open !== true && parametersOf(row).length > 0);
    expect(rows.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const row of rows) {
      const ask = (valueFor: (name: string) => string) =>
        ground.call(row.method, filled(row, valueFor), body(row.method), stranger);
      const there = await ask((name) => seed.valueFor(row.path, name));
      const nowhere = await ask(() => 'none');
      const isRefused = there.status === 404 || there.status === 403;
      // What is said of the request alone is said of any.
      const isTheSame = there.status >= 400 && there.status < 500 && there.text === nowhere.text;
      if (!isRefused && !isTheSame) wrong.push(`${shown(row)}: ${there.status} ${there.text.slice(0, 200)}`);
      if (isRefused && there.status !== nowhere.status)
        wrong.push(`${shown(row)}: ${there.status}, ${nowhere.status} for nothing`);
      if (there.text.includes(seed.organization.id)) wrong.push(`${shown(row)} names the organization`);
    }
    expect(wrong).toEqual([]);
  });

  test('sees nothing of others where a path names nothing', async () => {
    const rows = everyRow(ground).filter((row) => row.open !== true && parametersOf(row).length === 0);
    const wrong: string[] = [];
    for (const row of rows.filter(({ method }) => method === 'GET')) {
      const { status, text } = await ground.call(
        'GET',
        filled(row, () => ''),
        undefined,
        stranger,
      );
      const isFine = aboutTheCaller.test(row.path) ? status === 200 : status >= 400 && status < 500;
      if (!isFine) wrong.push(`${shown(row)}: ${status} ${text.slice(0, 200)}`);
      const { id, name } = seed.organization;
      if (text.includes(`"${id}"`) || text.includes(`"${name}"`)) wrong.push(`${shown(row)} names the organization`);
    }
    expect(wrong).toEqual([]);
  });
});
