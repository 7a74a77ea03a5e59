import { randomUUID } from 'node:crypto';
import type { FakeObject, StartFake } from '../../fake.ts';
import { newFaults } from '../../frame/fake/faults.ts';
import { newAuthority } from './login.ts';
import { secretRoutes } from './routes.ts';
import { serveVault } from './server.ts';
import { newestOf, newVault } from './vault.ts';

/**
 * A key vault and the login service of its cloud on one https server, with the provider's soft delete, limits, names, error
 * bodies and challenge. Requests are counted, and faults applied, once the token was accepted.
 */
export const startFake: StartFake = async (options = {}) => {
  const account = { tenantId: randomUUID(), clientId: randomUUID(), clientSecret: `stand-in~${randomUUID()}` };
  const calls = new Map<string, number>();
  const count = (operation: string) => calls.set(operation, (calls.get(operation) ?? 0) + 1);
  const faults = newFaults();
  const vault = newVault();
  const authority = newAuthority(account, faults, count);
  const routes = secretRoutes(vault, authority, faults, count);
  const served = await serveVault(options.port ?? 0, (request) => authority.answer(request) ?? routes(request));

  return {
    url: served.url,
    destination: {
      key_vault_uri: 'https://keyferry-stand-in.vault.azure.net',
      tenant_id: account.tenantId,
      client_id: account.clientId,
      client_secret: account.clientSecret,
      authority_host: served.url,
      endpoint: served.url,
      tls_ca_cert: served.certificate,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [served.port],
    },
    objects: () => new Map([...vault.live()].map((secret) => [secret.name, shown(newestOf(secret))])),
    seed: (name, value) => vault.seed(name, value),
    change: (name, value) => vault.change(name, value),
    calls: () => calls,
    fail: faults.set,
    heal: faults.heal,
    limit: faults.limit,
    close: served.close,
  };
};

const shown = ({ value, tags }: FakeObject): FakeObject => ({ value, tags });
