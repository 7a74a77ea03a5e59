import { createServer } from 'node:http';
import type { FakeObject, StartFake } from '../../fake.ts';
import { newFaults } from '../../frame/fake/faults.ts';
import { restExchange } from '../../frame/fake/rest.ts';
import { serve } from '../../frame/fake/server.ts';
import { newAuthority } from './login.ts';
import { newestOf, newProject } from './project.ts';
import { secretRoutes } from './routes.ts';

const projectId = 'keyferry-stand-in';

/**
 * The REST API of a secret manager with one project and one service account, with the provider's limits, names, label rules,
 * replication rules, etags, checksums and error bodies. Requests are counted, and faults applied, once the token was accepted.
 */
export const startFake: StartFake = async (options = {}) => {
  const calls = new Map<string, number>();
  const count = (operation: string) => calls.set(operation, (calls.get(operation) ?? 0) + 1);
  const faults = newFaults();
  const project = newProject(projectId);
  const authority = newAuthority(projectId);
  const routes = secretRoutes(project, authority, faults, count);
  const served = await serve(createServer, options.port ?? 0, restExchange('http', 'x-request-id', routes));
  const url = `http://127.0.0.1:${served.port}`;

  return {
    url,
    destination: {
      credentials: JSON.stringify(authority.credentials),
      endpoint: url,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [served.port],
    },
    objects: () => {
      const entries = [...project.secrets.values()].flatMap((secret): [string, FakeObject][] => {
        const newest = newestOf(secret);
        if (newest?.state !== 'ENABLED' || newest.value === undefined) return [];
        return [[secret.id, { value: newest.value.toString(), tags: secret.labels }]];
      });
      return new Map(entries);
    },
    seed: (name, value) => project.seed(name, value),
    change: (name, value) => project.change(name, value),
    calls: () => calls,
    fail: faults.set,
    heal: faults.heal,
    limit: faults.limit,
    close: served.close,
  };
};
