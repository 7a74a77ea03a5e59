import { expect, test } from 'vitest';
import { attentionIn, attentionLines } from '#cli/verbs/status/attention.ts';
import { recorded } from '#test/support/cli/recorded.ts';
import { printedRows, syncLines } from '#test/support/cli/syncs.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const { line, lineWith, destinationWithFailed } = syncLines(service);

test('the status has the numbers of the overview, and what fails where and why', async () => {
  const name = await destinationWithFailed(2);
  let output = '';
  // The numbers of the overview may be a second old.
  await eventually(
    async () => {
      ({ output } = await line('status'));
      return output.includes('2 failed');
    },
    () => output,
  );
  expect(output).toMatch(/^sync\.total {2,}2$/m);
  expect(output).toMatch(/^sync\.counts {2,}CLIENT_SIDE_ERROR 2$/m);
  expect(output).toMatch(/^sync\.unconfirmed {2,}0$/m);
  expect(output).toMatch(/^sync\.queue_capacity {2,}\d+$/m);
  expect(output).toContain(`sync.attention.cloud-a-sm/${name}`);
  expect(output).toMatch(/2 failed \(permission 2\); permission: grant the credentials the right/);
  const { sync } = JSON.parse((await line('status', '-o', 'json')).output);
  expect(sync).toMatchObject({
    disabled: false,
    total: 2,
    counts: { CLIENT_SIDE_ERROR: 2 },
    attention: [{ destination: `cloud-a-sm/${name}`, failed: 2, errors: { permission: 2 } }],
  });
});

test('--watch waits for another version of the overview, at most for the interval', async () => {
  const { address, paths } = await recorded(service);
  const watch = ['--watch', '--interval', '1', '--times', '2', '-o', 'ndjson'];
  const { code, output } = await lineWith({ address }, 'status', ...watch);
  expect([code, printedRows(output).length]).toEqual([0, 2]);
  expect(paths.filter((path) => /overview\?since=[^&]+&wait=1$/.test(path))).toHaveLength(1);
});

test('a pause, an open circuit and a purge that failed need attention, and what is in order does not', () => {
  const place = (name: string, more: object) => ({
    type: 'cloud-a-sm',
    name,
    counts: { SYNCED: 1 },
    errors: {},
    ...more,
  });
  const attention = attentionIn({
    remedies: { credentials: 'write new ones' },
    destinations: [
      place('fine', { disabled: false, circuit: 'closed' }),
      place('paused', { disabled: true, disabled_until: '2030-01-31' }),
      place('open', { circuit: 'open', circuit_open_until: '2030-01-31' }),
      place('purge', { purge_error: 'denied' }),
      place('failing', { counts: { CLIENT_SIDE_ERROR: 2, PENDING: 1 }, errors: { credentials: 3 } }),
    ],
  });
  expect(attentionLines(attention)).toEqual({
    'cloud-a-sm/failing': '2 failed (credentials 3); credentials: write new ones',
    'cloud-a-sm/paused': 'paused until 2030-01-31',
    'cloud-a-sm/open': 'circuit open until 2030-01-31',
    'cloud-a-sm/purge': 'not purged: denied',
  });
  expect(Object.keys(attentionLines(Array.from({ length: 30 }, () => attention).flat()))).toContain('more');
});
