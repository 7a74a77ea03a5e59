import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { inject } from 'vitest';
import { newAuthority } from '#destinations/cloud-b-kv/fake/login.ts';
import { newCertificate, serveVault } from '#destinations/cloud-b-kv/fake/server.ts';
import type { Fake, StartFake } from '#destinations/fake.ts';
import { newFaults } from '#destinations/frame/fake/faults.ts';
import { openRelay } from '../relay/relay.ts';
import { openBlockingHttp } from '../run/blocking.ts';
import { adaptPath, nameOperation, toServiceError } from './adapt.ts';
import { openVault, upstreamOf } from './api.ts';

/** A fixed seed that generates no blank value, so that the known gap for blank values does not depend on chance. */
const seed = 7;

/** lowkey-vault with a separate vault instead of our stand-in, which still serves the login. */
export const startFake: StartFake = async (): Promise<Fake> => {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
  const name = `keyferry-${randomUUID().slice(0, 8)}`;
  const upstream = upstreamOf(inject('trial'), name);
  const http = openBlockingHttp();
  const vault = openVault(upstream, http);
  vault.create();

  const account = { tenantId: randomUUID(), clientId: randomUUID(), clientSecret: `emulated~${randomUUID()}` };
  const authority = newAuthority(account, newFaults(), () => {});
  const login = await serveVault(0, (question) => authority.answer(question) ?? { status: 404 });
  // Of two trusted certificates with one name, OpenSSL tries only one.
  const { cert, private: key } = await newCertificate('relay to lowkey-vault');
  const own = { cert, key };
  const relay = await openRelay({ upstream, own, nameOperation, adaptPath, adaptAnswer: toServiceError });
  const url = `https://127.0.0.1:${relay.port}`;
  return {
    url,
    destination: {
      key_vault_uri: `https://${name}.vault.azure.net`,
      tenant_id: account.tenantId,
      client_id: account.clientId,
      client_secret: account.clientSecret,
      authority_host: login.url,
      endpoint: url,
      tls_ca_cert: `${cert}\n${login.certificate}`,
      allowed_ipv4_addresses: ['127.0.0.0/8'],
      allowed_ports: [relay.port, login.port],
    },
    objects: vault.objects,
    seed: vault.seed,
    change: vault.change,
    calls: () => relay.calls,
    fail: relay.fail,
    heal: relay.heal,
    limit: relay.limit,
    async close() {
      await relay.close();
      await login.close();
      await http.close();
    },
  };
};
