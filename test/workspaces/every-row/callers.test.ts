import { beforeAll, describe, expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';
import { everyRow, filled, parametersOf, shown } from './rows.ts';
import { type Seed, seedOf } from './seed.ts';

// Calls every row without a valid token, and as a user of another organization.
const ground = workspaceGround();
let seed: Seed;
let stranger = '';

beforeAll(async () => {
  seed = await seedOf(ground);
  const user = await ground.user((await ground.organization()).id);
  stranger = user.token;
});

const body = (method: string) => (method === 'GET' ? undefined : { data: { type: 'things', attributes: {} } });

/** Rows about the caller itself. */
const aboutTheCaller = /\/api\/v2\/(?:account\/\w+|organizations|organization-memberships|ping)$/;

describe('a caller without a valid token', () => {
  test.each(['', 'nobody', 'x.keyferryv1.y', 'hvs.none'])('gets 401 from every row (token "%s")', async (token) => {
    const rows = everyRow(ground).filter(({ open }) => !open);
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

  test('may use the few open rows', async () => {
    const open = everyRow(ground).filter((row) => row.open);
    for (const row of open) {
      const path = filled(row, (name) => seed.valueFor(row.path, name), ground.service.address);
      expect((await ground.call(row.method, path, body(row.method), 'nobody')).status, shown(row)).not.toBe(401);
    }
    expect(open.map(shown).sort()).toEqual([
      'GET /.well-known/jwks',
      'GET /.well-known/openid-configuration',
      'GET /.well-known/terraform.json',
      'GET /api/meta/ip-ranges',
      'GET /api/v2/openapi.json',
      'GET /api/v2/ping',
      'GET /api/v2/run-logs/:grant',
      'GET /api/v2/state-files/:grant',
      'POST /api/v2/webhooks/vcs/:oauth_client_id',
      'PUT /api/v2/configuration-files/:grant',
      'PUT /api/v2/run-logs/:grant',
      'PUT /api/v2/state-files/:grant',
    ]);
  });
});

test('the parameters of open rows are marked as secrets, unless the request is signed', () => {
  const isSigned = (path: string) => path.startsWith('/api/v2/webhooks/');
  const open = everyRow(ground).filter((row) => row.open && parametersOf(row).length > 0 && !isSigned(row.path));
  expect(open.map(({ secrets }) => Object.keys(secrets ?? {}))).toEqual(open.map(parametersOf));
  expect(open.length).toBeGreaterThan(3);
});

describe('a user of another organization', () => {
  test('cannot learn from any row whether a resource exists', async () => {
    const rows = everyRow(ground).filter((row) => !row.open && parametersOf(row).length > 0);
    expect(rows.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const row of rows) {
      const ask = (valueFor: (name: string) => string) =>
        ground.call(row.method, filled(row, valueFor), body(row.method), stranger);
      const there = await ask((name) => seed.valueFor(row.path, name));
      const nowhere = await ask(() => 'none');
      const isRefused = there.status === 404 || there.status === 403;
      // Errors about the request itself do not depend on the resource.
      const isTheSame = there.status >= 400 && there.status < 500 && there.text === nowhere.text;
      if (!isRefused && !isTheSame) wrong.push(`${shown(row)}: ${there.status} ${there.text.slice(0, 200)}`);
      if (isRefused && there.status !== nowhere.status)
        wrong.push(`${shown(row)}: ${there.status}, ${nowhere.status} for nothing`);
      if (there.text.includes(seed.organization.id)) wrong.push(`${shown(row)} names the organization`);
    }
    expect(wrong).toEqual([]);
  });

  test('sees no data of others in lists without parameters', async () => {
    const rows = everyRow(ground).filter((row) => !row.open && parametersOf(row).length === 0);
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
