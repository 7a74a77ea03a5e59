import { describe, expect, test } from 'vitest';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(everyType, {
  KEYFERRY_METRICS_DESTINATIONS_MAX: '1000',
  KEYFERRY_METRICS_UNAUTHENTICATED: 'true',
});

/** The log lines about the syncs to a destination. */
const linesOf = (destination: string): readonly unknown[] =>
  service.logged.filter((line) => JSON.stringify(line).includes(`"destination":"${destination}"`));

const metrics = async (): Promise<string> =>
  (await fetch(`${service.address}/v1/sys/metrics?format=prometheus`)).text();

describe.each(everyType)('a sync to %s that has finally failed', (type) => {
  test('is logged in one line with the request id of the remote, and counted by its destination', async () => {
    const destination = await service.destination(type);
    const value = `value-of-${service.name('secret')}`;
    const secret = await service.secret({ password: value });
    service.fake(type).fail({ kind: 'credentials' });
    const [association] = await service.set(type, destination, secret);
    expect(association?.sync_status).toBe('CLIENT_SIDE_ERROR');
    const finals = linesOf(destination).filter((line) => JSON.stringify(line).includes('a sync has failed'));
    expect(finals).toHaveLength(1);
    const text = JSON.stringify(finals);
    expect(text).toMatch(/"association":"\d+"/);
    expect(text).toContain(`"type":"${type}"`);
    expect(text).toMatch(/"kind":"(permission|credentials|missing)"/);
    expect(text).toMatch(/"error":"cannot /);
    expect(text).toMatch(/"remote_request_id":"[\w.:/+=-]{8,}"/);
    expect(JSON.stringify(service.logged)).not.toContain(value);
    const label = `{type="${type}",destination="${destination}"}`;
    expect(await metrics()).toContain(`keyferry_sync_destination_failures_total${label} 1`);
    expect(await metrics()).not.toContain(`last_success_timestamp_seconds${label}`);
    service.fake(type).heal();
    const [healed] = await service.set(type, destination, secret);
    expect(healed?.sync_status).toBe('SYNCED');
    expect(await metrics()).toContain(`keyferry_sync_destination_last_success_timestamp_seconds${label}`);
    expect(linesOf(destination).map((line) => /a sync [a-z ]+/.exec(JSON.stringify(line))?.[0])).toContain(
      'a sync attempt',
    );
  });
});
