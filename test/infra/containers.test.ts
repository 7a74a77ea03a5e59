import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { DCLinter } from 'dclint';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { capabilitiesOfAgent } from '../agent/apart/shipped.ts';
import { scan } from '../architecture/scan.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFile(new URL(file, root), 'utf8');
const composeFile = new URL('docker-compose.yml', root).pathname;
const dockerfile = await read('infra/Dockerfile');

const findings = z.array(z.object({ messages: z.array(z.object({ line: z.number(), message: z.string() })) }));

const service = z.looseObject({
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  profiles: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.unknown()).default({}),
  volumes: z.array(z.string()).default([]),
});
const compose = z.object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.unknown()) });
const { services, volumes } = compose.parse(parse(await read('docker-compose.yml'), { merge: true }));

const redisNodes = Array.from({ length: 6 }, (_, index) => `redis-${index + 1}`);

describe('docker-compose.yml', () => {
  test('keeps to the schema of the specification, and to its linter', async () => {
    // An image that is built here has a name too, so that all processes share it; the order of keys is for the reader.
    const quiet = [
      'no-build-and-image',
      'service-keys-order',
      'services-alphabetical-order',
      'top-level-properties-order',
      'require-quotes-in-ports',
    ];
    const rules = Object.fromEntries(quiet.map((rule) => [rule, 0 as const]));
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
    const lint = (file: string) => findings.parse(linter.lintFiles([file], false)).flatMap(({ messages }) => messages);
    expect(lint(composeFile)).toEqual([]);
    const broken = join(await mkdtemp(join(tmpdir(), 'keyferry-compose-')), 'docker-compose.yml');
    await writeFile(broken, (await read('docker-compose.yml')).replaceAll('start_period: 10s', 'start_perod: 10s'));
    expect(JSON.stringify(lint(broken))).toContain('/services/redis/healthcheck');
    await rm(dirname(broken), { recursive: true });
  });

  test('has the API, the sweep and a worker of each type, which wait for their dependencies', () => {
    for (const { type } of definitions)
      expect(services[`worker-${type}`]?.command).toEqual(['infra/commands/worker.ts', '--type', type]);
    for (const name of ['sweep', ...definitions.map(({ type }) => `worker-${type}`)]) {
      expect(services[name]?.depends_on).toMatchObject({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        api: { condition: 'service_healthy' },
      });
    }
  });

  test('keeps the data of PostgreSQL and Redis, and loses no job', () => {
    const ofHa = ['postgres-standby', ...redisNodes];
    expect(Object.keys(volumes).toSorted()).toEqual(['postgres', 'redis', ...ofHa].toSorted());
    for (const name of Object.keys(volumes)) {
      expect(services[name]?.volumes.join()).toContain(`${name}:`);
      expect(services[name]?.healthcheck).toBeDefined();
    }
    for (const name of ['redis', ...redisNodes]) {
      const { command = [], entrypoint = [] } = services[name] ?? {};
      expect([...entrypoint, ...command].join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    }
  });

  test('has a profile with a pooler in front of each of two PostgreSQL servers, a cluster of Redis and a second API', async () => {
    const named = ['api-2', 'pooler', 'pooler-standby', 'postgres-standby', 'redis-cluster', ...redisNodes];
    const found = Object.entries(services).flatMap(([name, { profiles }]) => (profiles.includes('ha') ? [name] : []));
    expect(found.toSorted()).toEqual(named.toSorted());
    expect(services['redis-cluster']?.command).toEqual(redisNodes.map((name) => `${name}:6379`));
    const settings = parseEnv(await read('infra/ha/settings.env'));
    expect(settings).toMatchObject({ COMPOSE_PROFILES: 'ha', POSTGRES_SYNCHRONOUS_STANDBY: 'standby' });
    const hosts = [...`${settings['HA_DATABASE_URL']} ${settings['HA_REDIS_URL']}`.matchAll(/([\w-]+):(?:6432|6379)/g)];
    expect(hosts.map(([, host]) => host)).toEqual(['pooler', 'pooler-standby', 'redis-1', 'redis-2', 'redis-3']);
    // The file uses only those of them that it also has without the profile.
    const text = await read('docker-compose.yml');
    for (const name of Object.keys(settings).slice(1)) expect(text).toContain(`\${${name}:-`);
  });

  test.each(['cluster.sh', 'pooler.sh', 'standby.sh'])(
    'the script %s of that profile can be read by its shell',
    (name) => {
      const file = new URL(`infra/ha/${name}`, root).pathname;
      expect(spawnSync(name === 'standby.sh' ? 'bash' : 'sh', ['-n', file], { encoding: 'utf8' }).stderr).toBe('');
    },
  );

  test('has an agent in a profile of its own, with nothing of the service in its environment', () => {
    const { agent } = services;
    expect(agent?.profiles).toEqual(['agent']);
    expect(Object.keys(agent?.environment ?? {}).toSorted()).toEqual([
      'KEYFERRY_AGENT_ADDRESS',
      'KEYFERRY_AGENT_TOKEN_FILE',
      'KEYFERRY_LOG_LEVEL',
    ]);
    expect(agent?.environment['KEYFERRY_AGENT_TOKEN_FILE']).toBe(`/run/secrets/${agent?.secrets?.join()}`);
  });

  test('has an agent that is root with the capabilities that give each run a user of its own, and no others', () => {
    const { agent } = services;
    expect(agent).toMatchObject({ cap_drop: ['ALL'], cap_add: capabilitiesOfAgent });
    expect(agent).toMatchObject({ read_only: true, security_opt: ['no-new-privileges:true'] });
    expect(agent).not.toHaveProperty('user');
    const [, stage = ''] = dockerfile.split(/^FROM .* AS agent$/m);
    expect(stage.split(/^FROM /m)[0]).toMatch(/^USER 0:0$/m);
    for (const [name, one] of Object.entries(services)) if (name !== 'agent') expect(one).not.toHaveProperty('cap_add');
  });

  test('starts no third-party service by default', () => {
    expect(services['moto']?.profiles).toEqual(['emulators']);
    expect(services['lowkey-vault']?.profiles).toEqual(['emulators']);
  });
});

describe('the image', () => {
  test('has a Dockerfile without errors or warnings', () => {
    expect(validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  test('has a linter that finds mistakes', () => {
    expect(validate(`${dockerfile}\nUSR root\n`, { instructionCasing: ValidationSeverity.ERROR })).not.toEqual([]);
  });

  test('holds every file that its commands import', async () => {
    const copied = [...dockerfile.matchAll(/^COPY (\S+) \1\/$/gm)].map(([, folder]) => `${folder}/`);
    expect(copied).toContain('lib/');
    const commands = [...dockerfile.matchAll(/infra\/[\w/-]+\.ts/g)].map(([file = '']) => file);
    const needed = await importedBy(commands);
    const single = [...dockerfile.matchAll(/^COPY (\S+\.json) \.\/$/gm)].map(([, file]) => file);
    expect(single).toHaveLength(2);
    expect(
      needed.filter((file) => !single.includes(file) && !copied.some((folder) => file.startsWith(folder))),
    ).toEqual([]);
    const ignored = await read('infra/Dockerfile.dockerignore');
    for (const folder of copied) expect(ignored).toContain(`!${folder.slice(0, -1)}\n`);
  });

  test('has git in its last stage, with the libraries that it loads', async () => {
    expect(dockerfile).toMatch(/^COPY infra\/image\/git\.sh \/\nRUN sh \/git\.sh \/collected$/m);
    expect(dockerfile).toMatch(/^FROM base AS service\nCOPY --from=git \/collected\/ \/$/m);
    const script = new URL('infra/image/git.sh', root).pathname;
    expect(spawnSync('sh', ['-n', script], { encoding: 'utf8' }).stderr).toBe('');
    expect(await read('infra/Dockerfile.dockerignore')).toContain('!infra/image\n');
  });

  test('is built in stages, runs as the user nobody, and reports its health', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    expect(stages.length).toBeGreaterThan(2);
    for (const stage of stages)
      expect(stage.split(/\s/)[0]).toMatch(/:|^(base|dependencies|development-dependencies)$/);
    const [final = ''] = stages.slice(-1);
    expect(final).toMatch(/^base AS service/);
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
    expect(final).toMatch(/^HEALTHCHECK .*\\\n +CMD \["\/nodejs\/bin\/node", "infra\/process\/healthy\.ts", "api"\]$/m);
    expect(final).not.toMatch(/development-dependencies/);
  });
});

/** These files and all files of the project that they import. */
async function importedBy(files: readonly string[]): Promise<readonly string[]> {
  const found = new Set(files);
  for (const file of found)
    for (const one of scan(file, await read(file)).imports) if (one.kind === 'file') found.add(one.path);
  return [...found];
}
