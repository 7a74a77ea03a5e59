import type { IncomingMessage } from 'node:http';
import { inject } from 'vitest';
import type { Fake, StartFake } from '#destinations/fake.ts';
import { openRelay } from '../relay/relay.ts';
import { openBlockingHttp } from '../run/blocking.ts';
import { openMotoApi, region } from './api.ts';

/** An emptied moto instead of our stand-in. It has neither throttling nor permissions. */
export const startFake: StartFake = async (): Promise<Fake> => {
  const { emulator } = inject('trial');
  const http = openBlockingHttp();
  const api = openMotoApi(emulator, http);
  api.reset();
  const relay = await openRelay({ upstream: { url: emulator }, nameOperation });
  const url = `http://127.0.0.1:${relay.port}`;
  return {
    url,
    destination: {
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'a secret access key that is long enough'.replaceAll(' ', '/'),
      region,
      endpoint: url,
      sts_endpoint: url,
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

function nameOperation({ headers }: IncomingMessage) {
  const target = headers['x-amz-target'];
  const operation = typeof target === 'string' ? target.replace(/^.*\./, '') : 'AssumeRole';
  return { operation, writes: !/^(Get|Describe|List|AssumeRole)/.test(operation) };
}
