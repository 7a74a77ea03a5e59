import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** How far the held request gets: half of it to the service, or its reply half of the way back. */
export type Held = 'request' | 'reply';

/** A way to a service on which one request stays, the first for which `isHeld` holds, as `POST /agent-jobs/plan-x/log`; all others pass. */
export async function heldLine(target: string, held: Held, isHeld: (request: string) => boolean) {
  const arrived = Promise.withResolvers<void>();
  let isFree = true;
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    const name = `${incoming.method} ${path.replace('/api/v2', '').split('?', 1)[0]}`;
    const stays = isFree && Number(incoming.headers['content-length'] ?? 0) > 0 && isHeld(name);
    if (stays) isFree = false;
    const onward = send(new URL(path, target), { method: incoming.method, headers: incoming.headers });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.on('response', (reply) => {
      if (stays) arrived.resolve();
      else passReply(reply, outgoing);
    });
    if (!stays || held === 'reply') incoming.pipe(onward);
    else
      incoming.once('data', (piece: Buffer) => {
        incoming.pause();
        onward.write(piece.subarray(0, Math.ceil(piece.length / 2)), () => arrived.resolve());
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, arrived: arrived.promise };
}

function passReply(reply: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
  reply.pipe(outgoing);
}
