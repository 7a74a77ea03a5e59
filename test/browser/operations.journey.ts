import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from './support/browse.ts';
import { choose } from './support/fill.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type], { KEYFERRY_SYNC_DRIFT_EVERY_MS: '1000' });
const { visit } = browsing(service);

describe.skipIf(!hasBrowser())('an operator', () => {
  test.each(bothColours)('sees drift and repairs it (%s)', async (colours) => {
    const name = await service.destination(type);
    const secret = await service.secret({ v: '1' }, `drift/${colours}`);
    const [record] = await service.set(type, name, secret);
    const copy = () => service.fake(type).objects().get(String(record?.external_name))?.value;
    const synced = copy();
    service.fake(type).change(String(record?.external_name), 'by hand');
    const opened = await visit(`/ui/destinations/${type}/${name}/drift`, colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('row').getByText('Changed there').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Repair 1' }).click();
    for (let round = 0; round < 3; round += 1) await service.sweep();
    await page.getByText('No drift').waitFor();
    expect([synced, copy()]).toEqual(['{"v":"1"}', '{"v":"1"}']);
    expect(await violations(page)).toEqual([]);
  });

  test.each(bothColours)('makes a rule after a dry run, and deletes it (%s)', async (colours) => {
    const name = await service.destination(type);
    await service.secret({ v: '1' }, `ruled-${colours}/one`);
    const opened = await visit(`/ui/destinations/${type}/${name}/rules`, colours);
    const { page, forgive } = opened;
    forgive(/status of 404/);
    await logIn(opened, service.rootToken);
    await page.getByText('No rule sends here').waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name (required)').fill(`rule-${colours}`);
    await page.getByLabel('Secrets begin with').fill(`ruled-${colours}/`);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('It selects 1 secret and would set 1 association.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Store rule' }).click();
    await page.getByRole('list', { name: 'Rules' }).getByText('Active').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: `Delete rule rule-${colours}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText(`The rule rule-${colours} is being deleted`).waitFor();
    expect((await service.ask('GET', `sys/sync/rules/rule-${colours}`)).data['state'] ?? 'gone').not.toBe('active');
  });

  test.each(bothColours)('sees a full queue, and why an association is refused (%s)', async (colours) => {
    const name = await service.destination(type);
    await service.secret({ v: '1' }, `full/${colours}`);
    await service.secret({ v: '1' }, `full/${colours}-more`);
    const { data: before } = await service.ask('GET', 'sys/sync/config');
    await service.ask('PATCH', 'sys/sync/config', { disabled: true, queue_capacity: 1 });
    await service.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, {
      mount: 'secret',
      secret_name: `full/${colours}`,
    });
    const opened = await visit('/ui/queue', colours);
    const { page, forgive } = opened;
    await logIn(opened, service.rootToken);
    await page.getByText('The queue is full').waitFor();
    await page.getByRole('region', { name: 'Over time' }).scrollIntoViewIfNeeded();
    await page.getByText('Throughput as a table').or(page.getByText('No sample yet')).first().waitFor();
    expect(await violations(page)).toEqual([]);
    forgive(/status of (429|503|507|400)/);
    await page.goto(`${service.address}/ui/secrets?mount=secret&secret=full%2F${colours}-more`);
    await choose(page, 'Send it to', name);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: name }).waitFor();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/queue|capacity/i);
    expect(await violations(page)).toEqual([]);
    await service.ask('PATCH', 'sys/sync/config', { disabled: false, queue_capacity: before['queue_capacity'] });
    await service.untilQuiet();
  });
});
