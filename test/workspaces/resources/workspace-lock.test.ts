import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const other = otherProcessOf(ground.service);

/** A workspace, and callers of every kind with their rights on it. */
async function stage() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const teamWith = async (access: 'read' | 'plan' | 'write' | 'admin') => {
    const user = await ground.user(organization.id);
    const team = await ground.team(organization.id, { members: [user.id] });
    await ground.grant(team.id, { workspace: workspace.id }, access);
    return { user, team };
  };
  const act = (action: string, token?: string, body?: unknown) =>
    ground.call('POST', `/workspaces/${workspace.id}/actions/${action}`, body, token);
  return { organization, workspace, teamWith, act };
}

const state = (workspaceId: string, serial: number, status: string, intermediate = true) => {
  const id = newId('sv');
  return sql`insert into ws_state_versions (id, workspace_id, serial, status, intermediate, lock_epoch)
    select ${id}, id, ${serial}, ${status}, ${intermediate}, lock_epoch from ws_workspaces where id = ${workspaceId}`
    .execute(ground.service.store.db)
    .then(() => id);
};

const currentState = async (workspaceId: string) => {
  const { rows } = await sql<{ id: string | null }>`
    select current_state_version_id as id from ws_workspaces where id = ${workspaceId}`.execute(
    ground.service.store.db,
  );
  return rows[0]?.id;
};

describe('the holder', () => {
  test('locks, is shown in the document, and unlocks', async () => {
    const { teamWith, act } = await stage();
    const { user } = await teamWith('write');
    const locked = await act('lock', user.token, { reason: 'maintenance' });
    expect(locked.status).toBe(200);
    expect(locked.item.attributes).toMatchObject({ locked: true, 'locked-reason': 'maintenance' });
    expect(locked.item.relationships['locked-by']?.data).toEqual({ id: user.id, type: 'users' });
    const unlocked = await act('unlock', user.token);
    expect(unlocked.status).toBe(200);
    expect(unlocked.item.attributes).toMatchObject({ locked: false, 'locked-reason': null });
    expect(unlocked.item.relationships['locked-by']?.data).toBeNull();
  });

  test.each([
    ['no body', undefined, ''],
    ['an empty object', {}, ''],
    ['a document without attributes', { data: { type: '' } }, ''],
    ['a document with a null reason', { data: { type: 'x', attributes: { reason: null } } }, ''],
    ['a document with a reason', { data: { type: '', attributes: { reason: 'by the engine' } } }, 'by the engine'],
    ['a reason at the top level', { reason: 'mine' }, 'mine'],
  ])('can give a reason as %s', async (_form, body, reason) => {
    const { act } = await stage();
    expect((await act('lock', undefined, body)).item.attributes['locked-reason']).toBe(reason);
  });

  test.each([
    ['a number', { reason: 7 }, 422],
    ['a long string', { reason: 'x'.repeat(1_001) }, 422],
    ['a string with NUL', { reason: 'a\u0000b' }, 400],
    ['a list as the document', { data: ['x'] }, 400],
    ['a string as the body', 'x', 400],
  ])('cannot give %s as the reason', async (_what, body, status) => {
    const { workspace, act } = await stage();
    expect((await act('lock', undefined, body)).status).toBe(status);
    expect((await act('unlock')).status, workspace.id).toBe(409);
  });

  test('is the user, with any of its tokens, or the team for tokens of a team', async () => {
    const { teamWith, act } = await stage();
    const { user, team } = await teamWith('write');
    const byTeam = await act('lock', team.token);
    expect(byTeam.item.relationships['locked-by']?.data).toEqual({ id: team.id, type: 'teams' });
    const refused = await act('unlock', user.token);
    expect(refused.status).toBe(409);
    expect(refused.errors[0]).toEqual({
      status: '409',
      title: 'conflict',
      detail: `Unable to unlock workspace. The workspace is locked by Team ${team.id} and may not be unlocked except by them.`,
    });
    expect((await act('unlock', team.token)).status).toBe(200);
  });
});

describe('a locked workspace', () => {
  test('cannot be locked again, even by its holder, and the error names the holder', async () => {
    const { teamWith, act } = await stage();
    const { user } = await teamWith('write');
    await act('lock', user.token);
    for (const token of [user.token, undefined]) {
      const again = await act('lock', token);
      expect(again.status).toBe(409);
      expect(again.errors[0]?.detail).toContain(`by User ${user.id}`);
    }
  });

  test('can be unlocked only by its holder, not even by owners, unless forced', async () => {
    const { organization, teamWith, act } = await stage();
    const { user } = await teamWith('write');
    const owner = await ground.user(organization.id);
    await ground.team(organization.id, { owners: true, members: [owner.id] });
    await act('lock', user.token);
    const refused = await act('unlock', owner.token);
    expect([refused.status, refused.errors[0]?.detail]).toEqual([
      409,
      expect.stringContaining(`is locked by User ${user.id}`),
    ]);
    const forced = await act('force-unlock', owner.token);
    expect([forced.status, forced.item.attributes['locked']]).toEqual([200, false]);
  });

  test('names the run that holds the lock', async () => {
    const { workspace, act } = await stage();
    await sql`update ws_workspaces set lock_kind = 'runs', lock_holder = 'run-1' where id = ${workspace.id}`.execute(
      ground.service.store.db,
    );
    expect((await act('unlock')).errors[0]?.detail).toContain('is locked by Run run-1');
    expect((await act('lock')).errors[0]?.detail).toContain('by Run run-1');
  });
});

test('a workspace without a lock cannot be unlocked, even by force, and the error names no holder', async () => {
  const { act } = await stage();
  for (const action of ['unlock', 'force-unlock']) {
    const answer = await act(action);
    expect(answer.status).toBe(409);
    expect(answer.errors[0]?.detail).not.toMatch(/is locked by/);
  }
});

describe('rights on locks', () => {
  test.each([
    ['read', [404, 404, 404]],
    ['plan', [404, 404, 404]],
    ['write', [200, 200, 404]],
    ['admin', [200, 200, 200]],
  ] as const)('%s locks, unlocks and forces with %j', async (access, statuses) => {
    const { teamWith, act } = await stage();
    const { user } = await teamWith(access);
    const lock = await act('lock', user.token);
    const unlock = await act('unlock', user.token);
    await act('lock');
    const force = await act('force-unlock', user.token);
    expect([lock.status, unlock.status, force.status]).toEqual(statuses);
  });

  test('users of other organizations get 404, and the token of the organization locks as itself', async () => {
    const { organization, act } = await stage();
    const elsewhere = await ground.organization();
    const stranger = await ground.user(elsewhere.id);
    const member = await ground.user(organization.id);
    for (const token of [stranger.token, member.token])
      for (const action of ['lock', 'unlock', 'force-unlock']) expect((await act(action, token)).status).toBe(404);
    const token = await ground.organizationToken(organization.id);
    expect((await act('lock', token)).item.relationships['locked-by']?.data).toMatchObject({ id: organization.id });
    expect((await act('unlock', token)).status).toBe(200);
  });
});

describe('states uploaded during the lock', () => {
  test('prevent the unlock while the latest intermediate one is pending; the latest final one becomes current', async () => {
    const { workspace, act } = await stage();
    await act('lock');
    await state(workspace.id, 1, 'finalized');
    const pending = await state(workspace.id, 2, 'pending');
    const early = await act('unlock');
    expect(early.status).toBe(503);
    expect(early.errors[0]?.detail).toContain('latest state version is still pending');
    await sql`update ws_state_versions set status = 'finalized' where id = ${pending}`.execute(ground.service.store.db);
    expect((await act('unlock')).status).toBe(200);
    expect(await currentState(workspace.id)).toBe(pending);
  });

  test('a caller that is not the holder gets that error first', async () => {
    const { workspace, teamWith, act } = await stage();
    const { user } = await teamWith('write');
    await act('lock', user.token);
    await state(workspace.id, 1, 'pending');
    expect((await act('unlock')).status).toBe(409);
    expect((await act('unlock', user.token)).status).toBe(503);
    const forced = await act('force-unlock');
    expect([forced.status, forced.item.attributes['locked']]).toEqual([200, false]);
  });

  test.each([
    ['a discarded one', 'discarded', '0s'],
    ['one whose upload has been inactive for minutes', 'pending', '10min'],
  ])('do not prevent the unlock for %s', async (_what, status, age) => {
    const { workspace, act } = await stage();
    await act('lock');
    const current = await state(workspace.id, 1, 'finalized');
    const id = await state(workspace.id, 2, status);
    await sql`update ws_state_versions set created_at = now() - ${age}::interval where id = ${id}`.execute(
      ground.service.store.db,
    );
    expect((await act('unlock')).status).toBe(200);
    expect(await currentState(workspace.id)).toBe(current);
  });
});

test('of a hundred concurrent lock requests to two processes exactly one succeeds', async () => {
  const { workspace, teamWith } = await stage();
  const { user, team } = await teamWith('write');
  const addresses = [ground.service.address, other.address];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      ground.call(
        'POST',
        `${addresses[at % 2]}/api/v2/workspaces/${workspace.id}/actions/lock`,
        { reason: String(at) },
        at % 4 < 2 ? user.token : team.token,
      ),
    ),
  );
  const winners = answers.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
  const holder = winners[0]?.item.relationships['locked-by']?.data;
  const shown = await ground.call('POST', `/workspaces/${workspace.id}/actions/force-unlock`);
  expect([shown.status, holder]).toEqual([200, expect.anything()]);
});

test('of many concurrent unlock requests to two processes exactly one succeeds', async () => {
  const { workspace, act } = await stage();
  await act('lock');
  const addresses = [ground.service.address, other.address];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      ground.call(
        'POST',
        `${addresses[at % 2]}/api/v2/workspaces/${workspace.id}/actions/${at % 4 < 2 ? 'unlock' : 'force-unlock'}`,
      ),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
});
