import { readdir, readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { keysBelow, usualPrefix } from '#queue/parts.ts';
import { testQueue } from '../../queue/queues.ts';
import { ending } from '../../support/services.ts';
import { manifestsOf, validate } from './schemas.ts';

const folder = new URL('../../../infra/kubernetes/', import.meta.url);
const files = (await readdir(folder)).filter((file) => file.endsWith('.yml')).toSorted();
const read = (file: string) => readFile(new URL(file, folder), 'utf8');
const manifests = (await Promise.all(files.map(read))).flatMap(manifestsOf);
const specsOf = (kind: string) => manifests.flatMap((one) => (one.kind === kind ? [one] : []));
const types = definitions.map(({ type }) => type);

describe('a manifest', () => {
  test.each(manifests.map((one) => [one.kind, one.metadata.name, one] as const))(
    '%s %s keeps to its schema',
    (_kind, _name, one) => {
      expect(() => validate(one)).not.toThrow();
    },
  );

  test('that breaks its schema is found', () => {
    const wrong = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', labels: {} },
      spec: { replicas: 'two' },
    };
    expect(() => validate(wrong)).toThrow('replicas');
  });

  test('of a worker differs from that of another type in the type alone', async () => {
    const texts = await Promise.all(
      types.map(async (type) => (await read(`worker-${type}.yml`)).replaceAll(type, '<type>')),
    );
    expect(new Set(texts).size).toBe(1);
    expect(files.filter((file) => file.startsWith('worker-'))).toHaveLength(types.length);
  });
});

const container = z.looseObject({ image: z.string(), args: z.array(z.string()), securityContext: z.unknown() });
const pod = z.looseObject({
  securityContext: z.unknown(),
  automountServiceAccountToken: z.literal(false),
  containers: z.array(container),
});
const deployment = z.looseObject({ template: z.looseObject({ spec: pod }) });

test('no process is root, writes to its image, or has a token for the cluster', () => {
  expect(specsOf('Deployment')).toHaveLength(types.length + 2);
  for (const { spec } of specsOf('Deployment')) {
    const { securityContext, containers } = deployment.parse(spec).template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const one of containers) {
      expect(one.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
});

const scaled = z.looseObject({
  minReplicaCount: z.number(),
  scaleTargetRef: z.object({ name: z.string() }),
  advanced: z.looseObject({ scalingModifiers: z.looseObject({ formula: z.string() }) }),
  triggers: z.array(z.looseObject({ name: z.string(), metadata: z.looseObject({ listName: z.string() }) })),
});

describe('the autoscaler of a worker', () => {
  test.each(types)('of type %s looks at the keys of its queue', (type) => {
    const one = specsOf('ScaledObject').find(({ metadata }) => metadata.name === `worker-${type}`);
    const { triggers, minReplicaCount, scaleTargetRef } = scaled.parse(one?.spec);
    const keys = keysBelow(usualPrefix);
    expect(minReplicaCount).toBe(0);
    expect(scaleTargetRef).toEqual({ name: `worker-${type}` });
    expect(Object.fromEntries(triggers.map(({ name, metadata }) => [name, metadata.listName]))).toEqual({
      waiting: `${keys.jobs(type)}wait`,
      active: `${keys.jobs(type)}active`,
      delayed: `${keys.jobs(type)}delayed`,
      paused: keys.paused,
    });
  });

  test('finds there what waits, is in flight, is delayed or paused, and then wants workers or none', async () => {
    const queue = await testQueue();
    const redis = new Redis(queue.url);
    ending({ close: async () => redis.disconnect() });
    const [type = ''] = types;
    const keys = keysBelow(queue.prefix);
    const wanted = async () => {
      const jobs = keys.jobs(type);
      const [waiting, active, delayed, paused] = await Promise.all([
        redis.llen(`${jobs}wait`),
        redis.llen(`${jobs}active`),
        redis.zcard(`${jobs}delayed`),
        redis.scard(keys.paused),
      ]);
      return paused > 0 ? 0 : waiting + active + Math.min(delayed, 1);
    };
    expect(scaled.parse(specsOf('ScaledObject')[0]?.spec).advanced.scalingModifiers.formula).toBe(
      'paused > 0 ? 0 : waiting + active + min(delayed, 1)',
    );
    const put = (id: string) => queue.enqueue([{ id, type, destination_id: '7', generation: 1, waiting: false }], 100);
    const limits = { concurrency: 1, lockMs: 10_000, reserveMs: 100 };
    const drain = (afterMs?: number) =>
      queue.drain(
        type,
        async () => (afterMs === undefined ? { kind: 'done', generation: 1 } : { kind: 'again', afterMs }),
        {
          ...limits,
          deadline: new Date(Date.now() + 20_000),
        },
      );
    expect(await wanted()).toBe(0);
    await put('1');
    await put('2');
    expect(await wanted()).toBe(2);
    await queue.pause();
    expect(await wanted()).toBe(0);
    await queue.resume();
    expect(await wanted()).toBe(2);
    await drain(60_000);
    expect(await wanted()).toBe(1);
  });
});
