import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { type Instance, startInstance } from '../process/instance.ts';
import type { Terminal } from '../show/terminal.ts';
import { ApiClient } from './client.ts';

/** Everything that the demo uses: an instance of the service and one stand-in per destination type. */
export interface Stage {
  readonly address: string;
  readonly rootToken: string;
  readonly api: ApiClient;
  readonly fakes: ReadonlyMap<string, Fake>;
  curlLines(): readonly string[];
  close(): Promise<void>;
}

export async function openStage(terminal: Terminal): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-demo-'));
  terminal.line(
    `The demo keeps its data in ${folder} and removes them at the end; it does not use DATABASE_URL and REDIS_URL.`,
  );
  terminal.line(terminal.styled('bold', 'Starting PostgreSQL, Redis, the API, the workers and the stand-ins'));
  const began = performance.now();
  const report = (text: string) => terminal.line(`  ${text} (${Math.round(performance.now() - began)} ms)`);
  // Without settings from the environment: a demo must not write to the database that they name.
  const settings = readConfig({});
  const instance = await startInstance({
    dataDir: folder,
    port: 0,
    log: silentLog,
    settings,
    retryMsFirst: 100,
    report,
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const fakes = new Map<string, Fake>();
  for (const { type } of definitions) {
    fakes.set(type, await (await loadFake(type))());
    report(`stand-in for ${type} at ${fakes.get(type)?.url}`);
  }
  return {
    address: instance.address,
    rootToken: instance.rootToken,
    api: new ApiClient(instance.address, instance.rootToken),
    fakes,
    curlLines: () => curlLines(instance),
    close: () => closeAll(instance, fakes, folder),
  };
}

async function closeAll(instance: Instance, fakes: ReadonlyMap<string, Fake>, folder: string): Promise<void> {
  await instance.close();
  await Promise.all([...fakes.values()].map((fake) => fake.close()));
  await rm(folder, { recursive: true, force: true });
}

function curlLines({ address, rootToken }: Instance): readonly string[] {
  const first = definitions[0]?.type;
  const curl = `curl -s -H 'X-Service-Token: ${rootToken}'`;
  const associate = `-d '{"mount":"secret","secret_name":"my-app"}'`;
  return [
    `${curl} -d '{"data":{"user":"app","password":"new"}}' ${address}/v1/secret/data/my-app`,
    `${curl} ${associate} ${address}/v1/sys/sync/destinations/${first}/demo/associations/set`,
    `${curl} ${address}/v1/sys/sync/destinations/${first}/demo/associations`,
    `${curl} '${address}/v1/sys/sync/associations/destinations?mount=secret&secret_name=my-app'`,
    `${curl} -X LIST ${address}/v1/sys/sync/destinations`,
  ];
}
