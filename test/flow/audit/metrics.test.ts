import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice } from './log.ts';

const service = serviceOf([]);

async function scrape(): Promise<string> {
  const url = `${service.address}/v1/sys/metrics?format=prometheus`;
  const answer = await fetch(url, { headers: { 'x-service-token': service.rootToken } });
  return await answer.text();
}

/** The values of a metric by their labels, as in the text. */
async function valuesOf(name: string): Promise<Readonly<Record<string, number>>> {
  const samples = [...(await scrape()).matchAll(/^(\w+)\{([^}]*)\} (\S+)$/gm)].filter(([, one]) => one === name);
  return Object.fromEntries(samples.map(([, , labels = '', value]) => [labels, Number(value)]));
}

/** The port of a server that accepts everything until it is closed. */
async function listener(): Promise<{ readonly port: number; end(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  server.on('connection', (socket) => server.once('close-all', () => socket.destroy()));
  const end = () => {
    server.emit('close-all');
    server.close();
  };
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, end };
}

test('sys/metrics counts and times the lines of audit devices and shows the waiting ones, labelled only by type', async () => {
  const { device, file } = await fileDevice(service);
  const { port, end } = await listener();
  const socket = service.name('socket');
  const options = { address: `127.0.0.1:${port}` };
  expect((await service.ask('POST', `sys/audit/${socket}`, { type: 'socket', options })).status).toBe(204);

  const recorded = await valuesOf('keyferry_audit_entries_total');
  expect(recorded['type="file",result="recorded"']).toBeGreaterThan(0);
  expect(recorded['type="file",result="failed"']).toBe(0);
  const counts = await valuesOf('keyferry_audit_write_duration_seconds_count');
  expect(counts['type="file"']).toBeGreaterThan(recorded['type="file",result="recorded"'] ?? 0);
  // The line about this read may still be on its way.
  for (const name of ['keyferry_audit_queue_entries', 'keyferry_audit_queue_characters'])
    expect(Object.keys(await valuesOf(name)).toSorted()).toEqual(['type="file"', 'type="socket"']);

  end();
  await eventually(async () => {
    const values = await valuesOf('keyferry_audit_entries_total');
    return Number(values['type="socket",result="failed"']) > 0;
  });
  const text = await scrape();
  for (const name of [device, socket, file, String(port), service.rootToken]) expect(text).not.toContain(name);
});
