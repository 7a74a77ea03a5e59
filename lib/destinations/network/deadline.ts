import type { Duplex } from 'node:stream';
import type { Dial } from './dial.ts';

/** The connection was not ready in time. Its code is the one that SDKs take for a timeout. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor({ host, port }: Dial, connectMs: number) {
    super(`connecting to ${host} port ${port} took longer than ${connectMs} ms`);
    this.name = 'ConnectTimeout';
  }
}

/** Destroys the socket unless it says `ready` in time. Names are resolved within this time too: getaddrinfo has no limit. */
export function limitConnect<S extends Duplex | null | undefined>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  dial: Dial,
  connectMs: number,
): S {
  const timer = setTimeout(() => socket?.destroy(new ConnectTimeout(dial, connectMs)), connectMs);
  const stop = () => clearTimeout(timer);
  socket?.once(ready, stop).once('close', stop);
  return socket;
}
