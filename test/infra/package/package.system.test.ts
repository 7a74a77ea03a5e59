import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { stageOf } from '../platform/stage.ts';
import { functionsOf, propertiesOf, readTemplate, type Template } from '../platform/template.ts';

const root = new URL('../../..', import.meta.url).pathname;
const types = definitions.map(({ type }) => type);
const tickMs = 500;

let said = '';
let template: Template;

/** Runs what `npm run package` runs, without access to the cloud and without credentials. */
beforeAll(async () => {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), HTTPS_PROXY: 'http://127.0.0.1:1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['infra/package/main.ts', 'dev'], { cwd: root, env });
  said = stdout;
  template = await readTemplate(join(root, '.build/serverless/cloudformation-template-update-stack.json'));
});

describe('the package', () => {
  test('has a bundle for each function, with its own SDK only, and prints their sizes', () => {
    console.info(said);
    for (const name of ['api', 'sweep', 'replay', ...types.map((type) => `sync-${type}`)]) expect(said).toContain(name);
    expect(said).toMatch(/no bundle contains the SDK or the driver of another type/);
  });

  test('has a row for each file in functions/, and no other', async () => {
    const files = (await readdir(join(root, 'functions'))).map((file) => file.replace(/\.ts$/, ''));
    const functions = functionsOf(template);
    expect(functions.map(({ name }) => name).toSorted()).toEqual(files.toSorted());
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
      expect(one.Code.S3Key.endsWith(`/${one.name}.zip`)).toBe(true);
      expect(one.VpcConfig).toMatchObject({ SubnetIds: expect.anything(), SecurityGroupIds: expect.anything() });
    }
  });

  test('gives each function its own role, and each worker the doorbell of its own type only', () => {
    const functions = functionsOf(template);
    expect(new Set(functions.map(({ Role }) => Role['Fn::GetAtt'][0])).size).toBe(functions.length);
    for (const { name, Role, Environment } of functions.filter((one) => one.name.startsWith('sync-'))) {
      const own = Role['Fn::GetAtt'][0].replace(/Role$/, 'Doorbell');
      const seen = JSON.stringify([template.Resources[Role['Fn::GetAtt'][0]], Environment.Variables]);
      expect(new Set(seen.match(/\w+Doorbell\b/g)), name).toEqual(new Set([own]));
    }
  });

  test('lets no function read a secret of the cloud, and only one type assume roles', () => {
    const allowed = propertiesOf(template, 'AWS::IAM::Role')
      .flatMap(statementsOf)
      .filter(({ Effect }) => Effect === 'Allow');
    const actions = allowed.flatMap(({ Action }) => Action);
    expect(actions.filter((action) => /^(secretsmanager|ssm|\*)|\*$/.test(action))).toEqual([]);
    expect(actions.filter((action) => action === 'sts:AssumeRole')).toHaveLength(1);
    const everywhere = allowed.flatMap(({ Action, Resource }) => (Resource === '*' ? Action : []));
    expect(everywhere.filter((action) => !/^ec2:.*(Interface|Address|Subnet)/.test(action))).toEqual([]);
  });

  test('gives a doorbell more time than its worker has, dead letters, and no more workers than may run', () => {
    const [seconds, ...others] = new Set(
      functionsOf(template).flatMap((one) => (one.name.startsWith('sync-') ? [one.Timeout] : [])),
    );
    expect(others).toEqual([]);
    const queues = propertiesOf(template, 'AWS::SQS::Queue');
    const bells = queues.filter((queue) => 'RedrivePolicy' in queue);
    expect(bells).toHaveLength(types.length);
    expect(queues).toHaveLength(2 * types.length);
    for (const bell of bells) expect(Number(bell['VisibilityTimeout'])).toBeGreaterThanOrEqual(6 * Number(seconds));
    const sources = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
    expect(sources).toHaveLength(types.length);
    for (const source of sources) expect(source).toMatchObject({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
  });

  test('sends every path and verb to the API', () => {
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Route')).toMatchObject([{ RouteKey: '$default' }]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Integration')).toMatchObject([{ PayloadFormatVersion: '2.0' }]);
  });
});

describe('the packed functions, called as the cloud calls them', () => {
  const open = stageOf(types, () => template);
  const [type = ''] = types;

  test.each(types)('a secret is copied from a request through a message to %s', async (type) => {
    const stage = open();
    const { name, secret } = await stage.associated(type, 'first');
    expect(await stage.statuses(type, name)).toEqual(['SYNCED']);
    expect(stage.values(type)).toContain('first');
    await stage.write(secret, 'second');
    await stage.untilDelivered(type);
    expect(await stage.statuses(type, name)).toEqual(['SYNCED']);
    expect(stage.values(type)).toContain('second');
  });

  test('a LIST request reaches the API as LIST', async () => {
    const stage = open();
    await stage.write('listed', 'any');
    expect((await stage.ask('LIST', 'team/metadata')).data).toMatchObject({ keys: expect.arrayContaining(['listed']) });
  });

  test('a password is checked by the native code that was packed', async () => {
    const stage = open();
    await stage.ask('POST', 'sys/auth/people', { type: 'userpass' });
    await stage.ask('POST', 'auth/people/users/ann', { password: 'open sesame' });
    const { auth } = await stage.ask('POST', 'auth/people/login/ann', { password: 'open sesame' });
    expect(auth).toMatchObject({ metadata: { username: 'ann' } });
  });

  test('hundreds of changes at once ring a few times', async () => {
    const stage = open();
    const { secret } = await stage.associated(type, 'first');
    const before = stage.sqs.sent();
    const changes = Array.from({ length: 200 }, (_, index) => stage.write(secret, `change ${index}`));
    await Promise.all(changes);
    // One ring per period in which a message may be on its way, however long the changes take.
    expect(stage.sqs.sent() - before).toBeLessThan(changes.length / 10);
    await stage.untilDelivered(type);
  });

  test('a tick of the sweep rings for work whose message was lost', async () => {
    const stage = open();
    const { name, secret } = await stage.associated(type, 'first');
    await stage.write(secret, 'unheard');
    await stage.loseMessages(type);
    expect(await stage.statuses(type, name)).toEqual(['PENDING']);
    while ((await stage.platform.deliver(type)).delivered === 0) {
      await stage.platform.tick('sweep');
      await pause(tickMs);
    }
    expect(await stage.statuses(type, name)).toEqual(['SYNCED']);
    expect(stage.values(type)).toContain('unheard');
  });

  test('failed work is tried again by a replay and by its schedule', async () => {
    const stage = open();
    const { name, secret } = await stage.associated(type, 'first');
    for (const input of [{ type, name }, { sync_status: 'EXTERNAL_SERVICE_ERROR' }]) {
      stage.fake(type).fail({ kind: 'unavailable' });
      await stage.write(secret, JSON.stringify(input));
      await stage.untilDelivered(type);
      expect(await stage.statuses(type, name)).toEqual(['EXTERNAL_SERVICE_ERROR']);
      stage.fake(type).heal();
      expect(await stage.platform.tick('replay', input)).toEqual({ queued: 1, replayed: 1 });
      await stage.untilDelivered(type);
      expect(await stage.statuses(type, name)).toEqual(['SYNCED']);
    }
  });

  test('a worker that cannot drain returns its messages, and one that fails to push does not', async () => {
    const stage = open();
    const { name, secret } = await stage.associated(type, 'first');
    stage.fake(type).fail({ kind: 'denied' });
    await stage.write(secret, 'denied');
    await stage.untilDelivered(type);
    expect(await stage.statuses(type, name)).toEqual(['CLIENT_SIDE_ERROR']);
    stage.fake(type).heal();
    await stage.write(secret, 'not drained');
    const cut = stage.platform.with({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await cut.deliver(type)).toEqual({ delivered: 1, failed: 1 });
    await cut.close();
  });
});

const policies = z.array(
  z.object({
    PolicyDocument: z.object({
      Statement: z.array(
        z.object({
          Effect: z.string(),
          Action: z.array(z.string()),
          Resource: z.unknown(),
        }),
      ),
    }),
  }),
);
const statementsOf = (role: Readonly<Record<string, unknown>>) =>
  policies.parse(role['Policies']).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
