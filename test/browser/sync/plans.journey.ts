import { describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);

/** A destination with synced copies called `<destination>-<base>`, of which one was changed by hand. */
async function changedByHand(bases: readonly string[], changed: string): Promise<string> {
  const name = await service.destination(type);
  const secret_name_template = `${name}-{{ .SecretBaseName }}`;
  await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { secret_name_template });
  for (const base of bases) await service.set(type, name, await service.secret({ v: base }, `${name}/${base}`));
  service.fake(type).change(`${name}-${changed}`, 'by hand');
  return name;
}

const copyAt = (name: string, base: string) => service.fake(type).objects().get(`${name}-${base}`)?.value;

describe.skipIf(!hasBrowser())('a plan', () => {
  test.each(bothColours)('of a destination is applied as it was shown (%s)', async (colours) => {
    const name = await changedByHand(['a', 'b', 'c'], 'b');
    const opened = await visit(`/ui/destinations/${type}/${name}/plan`, colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('Update 1').waitFor();
    await page.getByText('Leave 2').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: `${name}-b` })
      .getByText('Update')
      .waitFor();
    expect(await violations(page)).toEqual([]);
    expect(copyAt(name, 'b')).toBe('by hand');
    await page.getByRole('button', { name: 'Apply 1 change' }).click();
    await page.getByRole('dialog').getByText('the 1 change of this plan and nothing else').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply 1', exact: true }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    const batch = page.getByRole('listitem').filter({ hasText: 'Apply a plan' }).first();
    await eventually(
      async () => {
        await service.sweep();
        return (await batch.getByText('1 synced of 1').count()) > 0;
      },
      () => 'the outcome of the apply is not shown',
    );
    expect(['a', 'b', 'c'].map((base) => copyAt(name, base))).toEqual(['{"v":"a"}', '{"v":"b"}', '{"v":"c"}']);
  });

  test('of all destinations is refused with what changed since, and is made again', async () => {
    const name = await changedByHand(['x', 'y'], 'x');
    const opened = await visit(`/ui/plan?type=${type}&name=${name}`);
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Apply 1 change' }).click();
    await service.secret({ v: 'newer' }, `${name}/x`);
    await service.untilQuiet();
    forgive(/status of 409/);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply 1', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'nothing was done' }).waitFor();
    await page.getByRole('list', { name: 'What changed' }).getByText(`secret/${name}/x at ${type}/${name}`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Plan again' }).click();
    await page.getByText('Leave 2').waitFor();
    const apply = page.getByRole('button', { name: 'Apply the plan' });
    await expect.poll(() => apply.getAttribute('aria-disabled')).toBe('true');
    expect(await violations(page)).toEqual([]);
  });

  test('is read, and not applied, by a caller who may not change anything', async () => {
    const name = await changedByHand(['r'], 'r');
    const policy = [
      'path "sys/sync/plan" { capabilities = ["read"] }',
      `path "sys/sync/destinations/${type}/${name}/*" { capabilities = ["read"] }`,
    ].join('\n');
    await service.ask('POST', 'sys/policies/acl/planner', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['planner'] });
    const opened = await visit('/ui/plan');
    const { page } = opened;
    await logIn(opened, (made.body['auth'] as { client_token: string }).client_token);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('Update 1').waitFor();
    expect(await page.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
  });

  test('that is begun again ends the one before', async () => {
    const opened = await visit('/ui/plan');
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    const planOf = (name: string, after: string | null) => ({
      json: {
        data: {
          objects: [{ action: 'create', external_name: name, mount: 'secret', secret_name: name }],
          after,
          plan_id: 'p1',
        },
      },
    });
    let goOn: (() => Promise<void>) | undefined;
    let asked = 0;
    await page.route('**/v1/sys/sync/plan', async (route) => {
      asked += 1;
      if (asked === 1) await route.fulfill(planOf('first', 'more'));
      else if (asked === 2) goOn = () => route.fulfill(planOf('late', 'more')).catch(() => {});
      else await route.fulfill(planOf('again', asked === 3 ? 'more' : null));
    });
    forgive(/ERR_ABORTED|Failed to load/);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'first' }).waitFor();
    await eventually(
      async () => goOn !== undefined,
      () => 'the second page is not asked for',
    );
    expect(await page.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByRole('button', { name: 'Apply 2 changes' }).waitFor();
    await goOn?.();
    await page.getByText('2 objects').waitFor();
    expect(await page.getByText('late').count()).toBe(0);
    expect(asked).toBe(4);
  });
});
