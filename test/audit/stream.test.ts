import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { StreamOutlet } from '#audit/devices/stream.ts';
import { readBounds } from '#network/bounds.ts';
import { strictPolicy } from '../support/network/policy.ts';

const sockets: Socket[] = [];
const server = createServer((socket) => {
  socket.on('error', () => {});
  sockets.push(socket.pause());
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('lines that are not accepted in time are refused for that reason, not with the error of the aborted write', async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const policy = { ...strictPolicy, disabled: true, bounds: readBounds('all') };
  const outlet = new StreamOutlet({ host: '127.0.0.1', port }, policy);
  // More than the operating system buffers for a reader that does not read.
  const line = `${'x'.repeat(33_554_432)}\n`;
  await expect(outlet.write([line], 300)).rejects.toThrow('not accepted in time');
  await outlet.close();
});
