import type { Log } from '../core/log.ts';
import type { Handler } from '../queue/contract.ts';
import type { OpenStore } from '../store/open.ts';
import { clock } from './shared.ts';

/** A worker that is sealed, or started before the store was initialised, delays its jobs and says why. */
export function whileReady({ seal }: Pick<OpenStore, 'seal'>, log: Log, handler: Handler): Handler {
  let saidAt = 0;
  return (job, signal) => {
    const state = seal.state();
    if (state === 'ready') return handler(job, signal);
    const now = clock.now().getTime();
    if (now - saidAt >= sayAgainMs) {
      saidAt = now;
      log.warn({ state, seal: seal.status().type }, notReady);
    }
    return Promise.resolve({ kind: 'again', afterMs: lookAgainMs });
  };
}

const notReady =
  'jobs wait: this worker is not unsealed; it needs the key of an automatic seal (KEYFERRY_SEAL_KEY or KEYFERRY_SEAL_KEY_FILE) that the store was initialised with';
const lookAgainMs = 1_000;
const sayAgainMs = 60_000;
