import { z } from 'zod';
import type { FakeObject } from '#destinations/fake.ts';
import type { Upstream } from '../relay/forward.ts';
import type { BlockingHttp } from '../run/blocking.ts';

/** Reads and changes secrets as another client does, without our driver and its SDK. */
export interface ProjectApi {
  seed(name: string, value: string): void;
  change(name: string, value: string): void;
  objects(): ReadonlyMap<string, FakeObject>;
}

const pageMax = 100;

const secret = z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) });
const secretList = z.object({ secrets: z.array(secret).default([]), nextPageToken: z.string().default('') });
const version = z.object({ name: z.string(), state: z.string() });
const versionList = z.object({ versions: z.array(version).default([]), nextPageToken: z.string().default('') });
const accessed = z.object({ payload: z.object({ data: z.string() }) });

export const secretsPath = (project: string): string => `/v1/projects/${project}/secrets`;

export function openProject(upstream: Upstream, project: string, http: BlockingHttp): ProjectApi {
  const root = secretsPath(project);

  function call(method: string, path: string, body?: object): unknown {
    const sent = {
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? '' : JSON.stringify(body),
    };
    return JSON.parse(http.ask({ upstream, method, path, ...sent }));
  }

  function list() {
    const { secrets, nextPageToken } = secretList.parse(call('GET', `${root}?pageSize=${pageMax}`));
    if (nextPageToken !== '') throw new Error(`the suites leave more than ${pageMax} secrets behind`);
    return new Map(secrets.map(({ name, labels }) => [lastOf(name), labels]));
  }

  /** The value of the newest version; undefined when there is no version or it is not enabled. */
  function newestValue(id: string): string | undefined {
    const { versions, nextPageToken } = versionList.parse(call('GET', `${root}/${id}/versions?pageSize=${pageMax}`));
    if (nextPageToken !== '') throw new Error(`the suites add more than ${pageMax} versions to a secret`);
    const newest = versions.toSorted((one, other) => numberOf(one) - numberOf(other)).at(-1);
    if (newest?.state !== 'ENABLED') return undefined;
    const { payload } = accessed.parse(call('GET', `${root}/${id}/versions/${numberOf(newest)}:access`));
    return Buffer.from(payload.data, 'base64').toString();
  }

  const addVersion = (name: string, value: string) =>
    void call('POST', `${root}/${name}:addVersion`, { payload: { data: Buffer.from(value).toString('base64') } });

  return {
    seed(name, value) {
      if (list().has(name)) call('DELETE', `${root}/${name}`);
      call('POST', `${root}?secretId=${name}`, { replication: { automatic: {} } });
      addVersion(name, value);
    },
    change: addVersion,
    objects: () =>
      new Map(
        [...list()].flatMap(([id, tags]): [string, FakeObject][] => {
          const value = newestValue(id);
          return value === undefined ? [] : [[id, { value, tags }]];
        }),
      ),
  };
}

const lastOf = (name: string): string => name.split('/').at(-1) ?? '';
const numberOf = ({ name }: { readonly name: string }): number => Number(lastOf(name));
