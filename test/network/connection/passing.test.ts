import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Passing, type PassingLimits } from '#network/connection/passing.ts';
import { reach } from '#network/connection/reach.ts';
import { strictPolicy } from '../../support/network/policy.ts';

const open = { ...strictPolicy, disabled: true };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { readonly port: number }).port;
}

/** A listener that passes its connections on to a remote that says what `say` says. */
async function passingTo(say: (client: Socket) => void, limits: PassingLimits, allowHalfOpen = false) {
  const passing = new Passing(limits);
  const server = createServer({ allowHalfOpen }, (client) => void say(client.on('error', () => {})));
  const port = await listening(server);
  const remote = { host: '127.0.0.1', port };
  const front = createServer((client) => {
    if (passing.admit(client)) void passing.pass(client, remote, () => reach(open, remote, 60_000));
  });
  const at = await listening(front);
  const dial = () => {
    const socket = connect(at, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  onTestFinished(() => passing.end());
  return { passing, dial };
}

test('what a remote says arrives, and its end', async () => {
  const { dial } = await passingTo((client) => client.end('said'), { connectionsMax: 1 });
  const socket = dial();
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  await once(socket, 'close');
  expect(text).toBe('said');
});

test('a program that has said all still gets its answer', async () => {
  const answer = (client: Socket) => void client.resume().once('end', () => client.end('answer'));
  const { dial } = await passingTo(answer, { connectionsMax: 1 }, true);
  const socket = dial();
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.end('question');
  await once(socket, 'close');
  expect(text).toBe('answer');
});

test('more connections than the limit are closed, and there is room again when one has ended', async () => {
  const { dial } = await passingTo((client) => client.write('x'), { connectionsMax: 1 });
  const first = dial();
  await once(first, 'data');
  const second = dial().resume();
  await once(second, 'close');
  expect(second.bytesRead).toBe(0);
  first.destroy();
  for (let socket = dial(); ; socket = dial()) {
    const [what] = await Promise.race([once(socket, 'data'), once(socket.resume(), 'close')]);
    if (Buffer.isBuffer(what)) return expect(String(what)).toBe('x');
  }
});

test('a connection that is silent for too long ends, and one that has received too much', async () => {
  const silent = await passingTo(() => {}, { connectionsMax: 1, idleMs: 20 });
  await once(silent.dial().resume(), 'close');
  const much = await passingTo((client) => client.write(Buffer.alloc(1_000)), { connectionsMax: 1, bytesMax: 999 });
  await once(much.dial().resume(), 'close');
  expect(much.passing.failure).toBe('the remote sent more than 999 bytes');
});
