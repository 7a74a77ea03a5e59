import type { Duplex } from 'node:stream';
import { startStopwatch, systemClock } from '../core/clock.ts';
import type { Dial } from './connection/dial.ts';

/** The connection was not ready in time. Its code is the one that SDKs take for a timeout. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor({ host, port }: Dial, connectMs: number) {
    super(`connecting to ${host} port ${port} took longer than ${connectMs} ms`);
    this.name = 'ConnectTimeout';
  }
}

/**
 * Destroys the socket unless it says `ready` in time. Names are resolved within this time too: getaddrinfo has no limit. What
 * was frozen meanwhile is ready before the timer runs; nothing is sent over it any more.
 */
export function limitConnect<S extends Duplex | null | undefined>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  dial: Dial,
  connectMs: number,
): S {
  const elapsedMs = startStopwatch(systemClock);
  const late = () => socket?.destroy(new ConnectTimeout(dial, connectMs));
  const timer = setTimeout(late, connectMs);
  const stop = () => clearTimeout(timer);
  socket?.once('close', stop).once(ready, () => {
    stop();
    if (elapsedMs() >= connectMs) late();
  });
  return socket;
}
