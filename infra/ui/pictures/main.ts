import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import type { Fake } from '#destinations/fake.ts';
import { loadFake } from '#destinations/load.ts';
import { ApiClient } from '../../demo/client.ts';
import { execute } from '../../local/postgres/execute.ts';
import { startServices } from '../../local/services.ts';
import { startInstance } from '../../process/instance.ts';
import { buildPage } from '../build.ts';
import { findChromium } from '../chromium.ts';
import { followRequests } from '../quiet.ts';
import { openBrowser, openPage, take } from './camera.ts';
import { associations, changeByHand, placeNames, samples, seed, typeOf } from './seed.ts';

/** `npm run pictures`: the pictures of the web page in the documentation, of a service with data of its own, light and dark. */
const folder = new URL('../../../docs/pictures/', import.meta.url).pathname;
const planned = 'payments-production';
const settleMsMax = 600_000;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly heading: string;
  prepare?(page: Page): Promise<void>;
}

const pictures: readonly Picture[] = [
  { name: 'overview', path: '/ui/', heading: 'Overview' },
  { name: 'records', path: '/ui/records', heading: 'Records' },
  {
    name: 'plan',
    path: `/ui/destinations/${typeOf(planned)}/${planned}/plan`,
    heading: planned,
    async prepare(page) {
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      await page.getByRole('button', { name: /^Apply/ }).waitFor();
    },
  },
  { name: 'access', path: '/ui/access', heading: 'Access' },
];

const say = (text: string) => process.stdout.write(`${text}\n`);
const browser = findChromium();
if ('problem' in browser) {
  say(`no pictures: ${browser.problem}`);
  process.exit(1);
}
await buildPage();
const dataDir = await mkdtemp(join(tmpdir(), 'keyferry-pictures-'));
const services = await startServices(dataDir, {}, say);
const settings = readConfig({
  DATABASE_URL: services.databaseUrl,
  REDIS_URL: services.redisUrl,
  KEYFERRY_NETWORK_ALLOWED: 'all',
});
const instance = await startInstance({ dataDir, port: 0, log: silentLog, settings, retryMsFirst: 100, report: say });
const api = new ApiClient(instance.address, instance.rootToken);
const fakes = new Map<string, Fake>();
try {
  for (const type of new Set(placeNames.map(typeOf))) fakes.set(type, await (await loadFake(type))());
  await seed({ api, fakes });
  await settled();
  changeByHand(fakes, planned);
  for (const statement of samples) await execute(services.databaseUrl, statement);
  const opened = await openBrowser(browser.path);
  for (const colours of ['light', 'dark'] as const) {
    const page = await openPage(opened, instance.address, instance.rootToken, colours);
    for (const picture of pictures) await one(page, picture, colours);
  }
  await opened.close();
} finally {
  await instance.close();
  await Promise.all([...fakes.values()].map((fake) => fake.close()));
  await services.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function one(page: Page, { name, path, heading, prepare }: Picture, colours: string): Promise<void> {
  const quiet = followRequests(page);
  await page.goto(`${instance.address}${path}`);
  const shown = page.getByRole('heading', { level: 1, name: heading });
  await shown.or(page.getByText('There is no such page')).waitFor();
  if ((await shown.count()) === 0) {
    say(`${name}: skipped, there is no page ${path}`);
    return;
  }
  await prepare?.(page);
  await quiet();
  const bytes = await take(page, `${folder}${name}-${colours}.webp`);
  say(`docs/pictures/${name}-${colours}.webp: ${Math.ceil(bytes / 1024)} KB`);
}

/** Waits until the syncs of all places have an outcome. */
async function settled(): Promise<void> {
  const until = Date.now() + settleMsMax;
  for (;;) {
    const { counts, total } = await api.read<{ counts: Record<string, number>; total: number }>('sys/sync/overview');
    if (total === associations && (counts['PENDING'] ?? 0) === 0) return;
    if (Date.now() > until) throw new Error('the syncs of the pictures do not end');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
