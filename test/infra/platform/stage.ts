import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Fake } from '#destinations/fake.ts';
import { loadFake } from '#destinations/load.ts';
import { type LocalSqs, localSqs } from '../../app/sqs.ts';
import { associationsOf, statuses } from '../../support/flow/associations.ts';
import { testDatabase, testRedis } from '../../support/services.ts';
import { Platform } from './platform.ts';
import type { Template } from './template.ts';

const packages = new URL('../../../.build/functions', import.meta.url).pathname;

const lookMs = 20;

/** The packed functions with the services they need, and the stand-ins they sync to. */
export class FunctionStage {
  readonly platform: Platform;
  readonly sqs: LocalSqs;
  readonly #fakes: ReadonlyMap<string, Fake>;
  #token = '';
  #names = 0;

  constructor(platform: Platform, sqs: LocalSqs, fakes: ReadonlyMap<string, Fake>) {
    this.platform = platform;
    this.sqs = sqs;
    this.#fakes = fakes;
  }

  async initialise(): Promise<void> {
    const { body } = await this.platform.request('POST', '/v1/sys/init', undefined, {});
    this.#token = String(body['root_token']);
    await this.ask('POST', 'sys/mounts/team', { type: 'kv', options: { version: '2' } });
  }

  /** @throws Error unless the request succeeds. */
  async ask(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.platform.request(method, `/v1/${path}`, this.#token, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  fake(type: string): Fake {
    const fake = this.#fakes.get(type);
    if (fake === undefined) throw new Error(`no stand-in of type ${type}`);
    return fake;
  }

  /** Everything that a reader of the external system would get. */
  values = (type: string): string => [...this.fake(type).objects().values()].map(({ value }) => value).join('\n');

  async write(secret: string, password: string): Promise<void> {
    await this.ask('POST', `team/data/${secret}`, { data: { password } });
  }

  /** Creates a destination with a secret that the worker has pushed by the time the request is answered. */
  async associated(type: string, password: string) {
    this.#names += 1;
    const [name, secret] = [`place-${this.#names}`, `secret-${this.#names}`];
    await this.write(secret, password);
    await this.ask('POST', `sys/sync/destinations/${type}/${name}`, this.fake(type).destination);
    const body = { mount: 'team', secret_name: secret };
    await Promise.all([
      this.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, body),
      this.untilDelivered(type),
    ]);
    return { name, secret };
  }

  async statuses(type: string, name: string): Promise<readonly string[]> {
    const { data } = await this.ask('GET', `sys/sync/destinations/${type}/${name}/associations`);
    return statuses(associationsOf(data));
  }

  /** Waits until there have been messages and all of them are gone. */
  async untilDelivered(type: string): Promise<void> {
    while ((await this.platform.deliver(type)).delivered === 0) await pause(lookMs);
    while ((await this.platform.deliver(type)).delivered > 0);
  }

  async loseMessages(type: string): Promise<void> {
    let lost = await this.sqs.receive(type);
    for (; lost.length === 0; lost = await this.sqs.receive(type)) await pause(lookMs);
    await this.sqs.remove(type, lost);
  }
}

/** Opens the stage for the tests of the block, and heals the stand-ins after each. */
export function stageOf(types: readonly string[], template: () => Template): () => FunctionStage {
  const ends: (() => Promise<unknown>)[] = [];
  const fakes = new Map<string, Fake>();
  let stage: FunctionStage | undefined;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyferry-functions-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    for (const type of types) fakes.set(type, await (await loadFake(type))());
    ends.push(() => Promise.all([...fakes.values()].map((fake) => fake.close())));
    const sqs = await localSqs(types);
    ends.push(sqs.close);
    const { url, prefix } = testRedis();
    const sealKey = randomBytes(32).toString('hex');
    const secrets = { DATABASE_URL: await testDatabase(), REDIS_URL: url, KEYFERRY_SEAL_KEY: sealKey };
    const settings = {
      KEYFERRY_REDIS_PREFIX: prefix,
      KEYFERRY_LOG_LEVEL: 'warn',
      KEYFERRY_SYNC_ATTEMPTS_MAX: '1',
      KEYFERRY_NETWORK_ALLOWED: 'all',
    };
    const platform = new Platform({ template: template(), packages, folder, secrets, sqs, settings });
    ends.push(() => platform.close());
    stage = new FunctionStage(platform, sqs, fakes);
    await stage.initialise();
  });
  afterEach(() => {
    for (const fake of fakes.values()) fake.heal();
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => {
    if (stage === undefined) throw new Error('the stage is not open');
    return stage;
  };
}
