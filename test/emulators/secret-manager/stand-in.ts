import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { inject } from 'vitest';
import { newAuthority } from '#destinations/cloud-c-sm/fake/login.ts';
import type { Fake, StartFake } from '#destinations/fake.ts';
import { openRelay } from '../relay/relay.ts';
import { openBlockingHttp } from '../run/blocking.ts';
import { openProject } from './api.ts';
import { toServiceError } from './error.ts';

/** The emulator instead of our stand-in, with a separate project. */
export const startFake: StartFake = async (): Promise<Fake> => {
  const { emulator } = inject('trial');
  const upstream = { url: emulator };
  const project = `keyferry-${randomUUID().slice(0, 8)}`;
  const http = openBlockingHttp();
  const api = openProject(upstream, project, http);
  const relay = await openRelay({ upstream, nameOperation, adaptAnswer: toServiceError });
  const url = `http://127.0.0.1:${relay.port}`;
  return {
    url,
    destination: {
      credentials: JSON.stringify(newAuthority(project).credentials),
      endpoint: url,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [relay.port],
    },
    objects: api.objects,
    seed: api.seed,
    change: api.change,
    calls: () => relay.calls,
    fail: relay.fail,
    heal: relay.heal,
    limit: relay.limit,
    async close() {
      await relay.close();
      await http.close();
    },
  };
};

/** `GET`, `POST :addVersion` */
function nameOperation({ method = 'GET', url = '' }: IncomingMessage) {
  const action = /:[a-zA-Z]+(?=$|\?)/.exec(url)?.[0] ?? '';
  return { operation: `${method} ${action}`.trim(), writes: method !== 'GET' };
}
