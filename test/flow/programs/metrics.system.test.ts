import { describe, expect, test } from 'vitest';
import { counters, gauges, histograms } from '#telemetry/metrics/instruments.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm', 'repo-host']);

const scrape = async (path = 'sys/metrics?format=prometheus', headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${service.address}/v1/${path}`, {
    headers: { 'x-service-token': service.rootToken, ...headers },
  });
  return { status: answer.status, contentType: answer.headers.get('content-type'), text: await answer.text() };
};

/** The value of a sample, with its labels in any order. */
function sampleOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split('\n')
    .find((one) => /^\w+/.exec(one)?.[0] === name && wanted.every((part) => one.includes(part)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

describe('sys/metrics', () => {
  test('shows the sync by type and outcome, of the queue, the store and the process', async () => {
    const destination = await service.destination('cloud-a-sm');
    const secret = await service.secret({ user: 'amelie' });
    await service.set('cloud-a-sm', destination, secret);
    await service.sweep();
    await service.ask('POST', 'auth/token/create', { ttl: '1h' });
    const { status, contentType, text } = await scrape();
    expect(status).toBe(200);
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const type = 'cloud-a-sm';
    expect(sampleOf(text, 'keyferry_sync_operations_total', { type, outcome: 'SYNCED' })).toBe(1);
    expect(sampleOf(text, 'keyferry_sync_reconcile_duration_seconds_count', { type })).toBe(1);
    expect(sampleOf(text, 'keyferry_sync_associations', { type, status: 'SYNCED' })).toBe(1);
    expect(sampleOf(text, 'keyferry_sync_destinations', { type })).toBe(1);
    expect(sampleOf(text, 'keyferry_sync_destinations', { type: 'repo-host' })).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_pending_operations')).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_queue_capacity')).toBeGreaterThan(0);
    expect(sampleOf(text, 'keyferry_sync_jobs', { type, state: 'waiting' })).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_circuit_breakers', { type, state: 'open' })).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_gates', { type, state: 'closed' })).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_oldest_dirty_age_seconds', { type })).toBe(0);
    expect(sampleOf(text, 'keyferry_sync_disabled')).toBe(0);
    expect(sampleOf(text, 'keyferry_tokens')).toBe(2);
    expect(sampleOf(text, 'keyferry_leases')).toBe(1);
    expect(sampleOf(text, 'keyferry_sealed')).toBe(0);
    expect(sampleOf(text, 'keyferry_redis_up')).toBe(1);
    expect(sampleOf(text, 'keyferry_database_up')).toBe(1);
    expect(sampleOf(text, 'keyferry_database_connections_max')).toBe(5);
    expect(sampleOf(text, 'keyferry_sweep_rounds_total', { result: 'done' })).toBe(1);
    expect(sampleOf(text, 'keyferry_sweep_last_success_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
    expect(
      sampleOf(text, 'keyferry_http_requests_total', { route: 'kv/data/*path', method: 'POST', status: '2xx' }),
    ).toBe(1);
    for (const name of [secret, 'amelie', service.rootToken]) expect(text).not.toContain(name);
    const naming = text.split('\n').filter((line) => line.includes(`"${destination}"`));
    expect(naming.map((line) => line.split('{', 1)[0])).toEqual([
      'keyferry_sync_destination_last_success_timestamp_seconds',
    ]);
  });

  test('shows failures by kind, retries, and an open circuit breaker', async () => {
    const destination = await service.destination('repo-host');
    service.fake('repo-host').fail({ kind: 'unavailable' });
    await service.set('repo-host', destination, await service.secret({ user: 'a' }));
    const { text } = await scrape();
    const type = 'repo-host';
    expect(sampleOf(text, 'keyferry_sync_operations_total', { type, outcome: 'EXTERNAL_SERVICE_ERROR' })).toBe(1);
    expect(sampleOf(text, 'keyferry_sync_operations_total', { type, outcome: 'retried' })).toBe(3);
    expect(sampleOf(text, 'keyferry_sync_retries_total', { type })).toBe(3);
    expect(sampleOf(text, 'keyferry_sync_failures_total', { type, kind: 'unavailable' })).toBe(4);
  });

  test('has every instrument, in the text and in the JSON', async () => {
    const names = Object.keys({ ...counters, ...histograms, ...gauges });
    const { text } = await scrape();
    const { body } = await service.ask('GET', 'sys/metrics');
    const families = (body['data'] as { metrics: { name: string }[] }).metrics.map(({ name }) => name);
    for (const name of names) {
      expect(text).toContain(`# TYPE ${name} `);
      expect(families).toContain(name);
    }
    expect(body).toMatchObject({ request_id: expect.any(String), mount_type: 'system' });
  });

  test.each([
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1',
    'text/plain; version=0.0.4',
  ])('is text for a scraper that accepts %s', async (accept) => {
    expect((await scrape('sys/metrics', { accept })).text).toMatch(/^# HELP /);
  });

  test('is JSON for clients that accept anything', async () => {
    expect((await scrape('sys/metrics', { accept: '*/*' })).contentType).toBe('application/json');
  });

  test('refuses an unknown format and lists the known ones', async () => {
    const { status, errors } = await service.ask('GET', 'sys/metrics?format=xml');
    expect(status).toBe(400);
    expect(errors.join()).toContain('format must be "prometheus" or "json"');
  });

  test('requires a token with the right to read it', async () => {
    expect(
      (
        await service.ask('GET', 'sys/metrics?format=prometheus', undefined, {
          headers: { 'x-service-token': undefined },
        })
      ).status,
    ).toBe(403);
    const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'] });
    const { client_token } = body['auth'] as { client_token: string };
    expect(
      (await service.ask('GET', 'sys/metrics', undefined, { headers: { 'x-service-token': client_token } })).status,
    ).toBe(403);
  });
});
