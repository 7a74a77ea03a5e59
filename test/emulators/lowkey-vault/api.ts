import { z } from 'zod';
import type { FakeObject } from '#destinations/fake.ts';
import type { Upstream } from '../relay/forward.ts';
import type { BlockingHttp } from '../run/blocking.ts';
import type { Given } from '../trials/trial.ts';

/** Reads and changes secrets as another client does, without our driver and its SDK. */
export interface VaultApi {
  create(): void;
  seed(name: string, value: string): void;
  change(name: string, value: string): void;
  objects(): ReadonlyMap<string, FakeObject>;
}

export const apiVersion = '7.6';
/** It requires a token but accepts any. */
export const headers = { 'content-type': 'application/json', authorization: 'Bearer of-another-client' };

const pageSize = 25;
const pagesMax = 10;

const page = z.object({ value: z.array(z.object({ id: z.string() })) });
const secret = z.object({ value: z.string(), tags: z.record(z.string(), z.string()).nullish() });

/** lowkey-vault selects the vault by the Host header. */
export function upstreamOf({ emulator: url, certificate }: Given, vault: string): Upstream {
  return { url, certificate, host: `${vault}.localhost:${new URL(url).port}` };
}

export const pathOf = (path: string, query = ''): string => `${path}?api-version=${apiVersion}${query}`;

export function openVault(upstream: Upstream, http: BlockingHttp): VaultApi {
  const ask = (method: string, path: string, body?: object): string =>
    http.ask({ upstream, method, path, headers, body: body === undefined ? '' : JSON.stringify(body) });
  const get = (path: string, query?: string): unknown => JSON.parse(ask('GET', pathOf(path, query)));

  function names(): readonly string[] {
    const found: string[] = [];
    for (let pages = 0; pages < pagesMax; pages++) {
      const query = `&maxresults=${pageSize}&$skiptoken=${found.length}`;
      const { value } = page.parse(get('/secrets', query));
      found.push(...value.map(({ id }) => id.split('/')[4] ?? ''));
      if (value.length < pageSize) return found;
    }
    throw new Error(`the suites leave more than ${pagesMax * pageSize} secrets behind`);
  }

  return {
    create() {
      const vault = {
        baseUri: `https://${upstream.host}`,
        recoveryLevel: 'Recoverable+Purgeable',
        recoverableDays: 90,
      };
      ask('POST', '/management/vault', vault);
    },
    seed(name, value) {
      const put = () => ask('PUT', pathOf(`/secrets/${name}`), { value, tags: {} });
      try {
        put();
      } catch {
        // A deleted secret holds the name.
        ask('DELETE', pathOf(`/deletedsecrets/${name}`));
        put();
      }
    },
    change(name, value) {
      const { tags } = secret.parse(get(`/secrets/${name}`));
      ask('PUT', pathOf(`/secrets/${name}`), { value, tags: tags ?? {} });
    },
    objects: () =>
      new Map(
        names().map((name) => {
          const { value, tags } = secret.parse(get(`/secrets/${name}`));
          return [name, { value, tags: tags ?? {} }];
        }),
      ),
  };
}
