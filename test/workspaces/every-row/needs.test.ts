import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiRow, Needs } from '#path/jsonapi/row.ts';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';
import { everyRow, filled, shown } from './rows.ts';
import { type Things, thingsOf } from './things.ts';

// Calls every row on existing resources as callers with few or no rights. Each row must answer as its `needs` promises.
const ground = workspaceGround();
let things: Things;
let callers: Readonly<Record<Caller, string>>;

type Caller = 'of another organization' | 'member' | 'reader' | 'audit trail';

beforeAll(async () => {
  things = await thingsOf(ground);
  const stranger = await ground.user((await ground.organization()).id);
  callers = {
    'of another organization': stranger.token,
    member: things.memberToken,
    reader: things.readerToken,
    'audit trail': await auditToken(things.valueFor('', 'organization_name')),
  };
});

/** A token that can only read the organization's audit trail. */
async function auditToken(organization: string): Promise<string> {
  const path = `/organizations/${organization}/authentication-token?token=audit-trails`;
  const { item } = await ground.call('POST', path, documentOf('authentication-tokens', {}));
  return String(item.attributes['token']);
}

/** The rights of each caller by noun. The reader's team has `read` on the workspace and the project. */
const rights: Readonly<Record<Caller, Readonly<Record<string, readonly string[]>>>> = {
  'of another organization': { caller: ['any', 'user'] },
  member: { caller: ['any', 'user'], organization: ['member', 'entitlements'], user: ['read'], membership: ['read'] },
  reader: {
    caller: ['any', 'user'],
    organization: ['member', 'entitlements'],
    user: ['read'],
    membership: ['read'],
    workspace: ['read', 'read-runs', 'read-variables', 'read-outputs', 'read-states'],
    project: ['read'],
    team: ['read', 'manage-tokens'],
    'variable-set': ['read'],
  },
  'audit trail': { caller: ['organization'] },
};

/** Rights whose lack gives 403 to callers that may read the resource. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  workspace: ['force-remove'],
  project: ['move-workspaces'],
};

function promised(needs: Needs, caller: Caller): 'passes' | 403 | 404 {
  const [[noun = '', right = ''] = []] = Object.entries(needs);
  const held = rights[caller][noun] ?? [];
  if (held.includes(right)) return 'passes';
  return held.includes('read') && forbidden[noun]?.includes(right) === true ? 403 : 404;
}

const refusals = {
  401: '{"errors":[{"status":"401","title":"unauthorized"}]}',
  403: '{"errors":[{"status":"403","title":"forbidden"}]}',
  404: '{"errors":[{"status":"404","title":"not found"}]}',
};

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const needing = (): readonly ApiRow[] => everyRow(ground).filter(({ open }) => !open);

function ask(row: ApiRow, token: string) {
  const path = filled(row, (name) => things.valueFor(row.path, name)) + (row.method === 'GET' ? things.query : '');
  return ground.call(row.method, path, row.method === 'GET' ? undefined : things.document(typeOf(row)), token);
}

/** The type of document that the row accepts; for rows that accept several, a type that none of them has. */
const typeOf = ({ body }: ApiRow): string => (body?.form.kind === 'document' ? body.form.type : undefined) ?? 'things';

test('every row says what it needs', () => {
  const rows = everyRow(ground);
  expect(rows.filter(({ needs }) => Object.keys(needs ?? {}).length !== 1).map(shown)).toEqual([]);
  expect(rows.filter(({ needs, open }) => 'open' in needs !== open).map(shown)).toEqual([]);
  expect(needing().length).toBeGreaterThan(200);
  expect(needing().filter(({ method }) => !methods.includes(method))).toEqual([]);
});

describe.each(['of another organization', 'member', 'reader', 'audit trail'] as const)('a caller: %s', (caller) => {
  test.each(methods)('gets what each row promises by %s', async (method) => {
    const wrong: string[] = [];
    for (const row of needing().filter((one) => one.method === method)) {
      const promise = promised(row.needs, caller);
      const { status, text } = await ask(row, callers[caller]);
      const isKept =
        promise === 'passes'
          ? status !== 401 && status !== 403 && (status !== 404 || answers404.has(shown(row)))
          : status === promise && text === refusals[promise];
      if (!isKept)
        wrong.push(`${shown(row)} ${JSON.stringify(row.needs)}: ${promise}, but ${status} ${text.slice(0, 90)}`);
    }
    expect(wrong).toEqual([]);
  });
});

test.each(['', 'nobody'])('with the token "%s" every row is 401', async (token) => {
  for (const row of needing()) {
    const { status, text } = await ask(row, token);
    expect([shown(row), status, text]).toEqual([shown(row), 401, refusals[401]]);
  }
});

/** Rows that answer 404 to callers with the right, since the optional resource does not exist. */
const answers404: ReadonlySet<string> = new Set([
  'GET /api/v2/configuration-versions/:configuration_version_id/ingress-attributes',
  'GET /api/v2/configuration-versions/:configuration_version_id/download',
  'GET /api/v2/runs/:run_id/configuration-version/download',
  'GET /api/v2/plans/:plan_id/json-output-redacted',
  'GET /api/v2/runs/:run_id/plan/json-output-redacted',
  'GET /api/v2/workspaces/:workspace_id/relationships/data-retention-policy',
  'GET /api/v2/organizations/:organization_name/relationships/data-retention-policy',
  'GET /api/v2/teams/:team_id/authentication-token',
  'DELETE /api/v2/teams/:team_id/authentication-token',
]);
