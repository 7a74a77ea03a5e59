import { z } from 'zod';
import type { FakeObject } from '#destinations/fake.ts';
import type { BlockingHttp } from '../run/blocking.ts';

/** Reads and changes secrets as another client does, without our driver and its SDK. */
export interface MotoApi {
  reset(): void;
  seed(name: string, value: string): void;
  change(name: string, value: string): void;
  objects(): ReadonlyMap<string, FakeObject>;
}

export const region = 'us-east-1';
const pageMax = 100;

const list = z.object({
  SecretList: z.array(
    z.object({ Name: z.string(), Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]) }),
  ),
  NextToken: z.string().nullish(),
});
const values = z.object({ SecretValues: z.array(z.object({ Name: z.string(), SecretString: z.string().optional() })) });

/** It reads the region from the Authorization header, and checks no signature. */
export const headersFor = (operation: string) => ({
  'content-type': 'application/x-amz-json-1.1',
  'x-amz-target': `secretsmanager.${operation}`,
  authorization: `AWS4-HMAC-SHA256 Credential=moto/20260101/${region}/secretsmanager/aws4_request, SignedHeaders=host, Signature=0`,
});

export function openMotoApi(url: string, http: BlockingHttp): MotoApi {
  const upstream = { url };

  function call(operation: string, body: object): unknown {
    const headers = headersFor(operation);
    return JSON.parse(http.ask({ upstream, method: 'POST', path: '/', headers, body: JSON.stringify(body) }));
  }

  return {
    reset: () => void http.ask({ upstream, method: 'POST', path: '/moto-api/reset', headers: {}, body: '' }),
    seed(name, value) {
      call('DeleteSecret', { SecretId: name, ForceDeleteWithoutRecovery: true });
      call('CreateSecret', { Name: name, SecretString: value });
    },
    change: (name, value) => void call('PutSecretValue', { SecretId: name, SecretString: value }),
    objects() {
      const { SecretList: found, NextToken } = list.parse(call('ListSecrets', { MaxResults: pageMax }));
      if (NextToken != null) throw new Error(`the suites leave more than ${pageMax} secrets behind`);
      const tags = new Map(
        found.map(({ Name, Tags }) => [Name, Object.fromEntries(Tags.map((tag) => [tag.Key, tag.Value]))]),
      );
      if (tags.size === 0) return new Map();
      const { SecretValues } = values.parse(call('BatchGetSecretValue', { SecretIdList: [...tags.keys()] }));
      return new Map(
        SecretValues.map(({ Name, SecretString = '' }) => [Name, { value: SecretString, tags: tags.get(Name) ?? {} }]),
      );
    },
  };
}
