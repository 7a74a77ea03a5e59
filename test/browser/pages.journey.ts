import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { followRequests } from '#infra/ui/quiet.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from './support/browse.ts';
import { seed } from './support/seed.ts';

const types = ['cloud-a-sm', 'repo-host'];
const service = serviceOf(types);
const { visit } = browsing(service);
/** A folder for a picture of each page, for a person to look at. */
const pictures = process.env['KEYFERRY_TEST_PICTURES'];

const widths = [1440, 768, 390];
let places: Awaited<ReturnType<typeof seed>>;

beforeAll(async () => {
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  places = await seed(service);
});

const pages = () => [
  ['overview', '/ui/'],
  ['records', '/ui/records'],
  ['record', `/ui/records?status=CLIENT_SIDE_ERROR&record=${places.failedRecord}`],
  ['destinations', '/ui/destinations'],
  ['destination', `/ui/destinations/cloud-a-sm/${places.broken}`],
  ['settings', `/ui/destinations/cloud-a-sm/${places.working}/settings`],
  ['plan', `/ui/destinations/cloud-a-sm/${places.working}/plan`],
  ['drift', `/ui/destinations/cloud-a-sm/${places.working}/drift`],
  ['rules', `/ui/destinations/cloud-a-sm/${places.working}/rules`],
  ['danger', `/ui/destinations/cloud-a-sm/${places.working}/danger`],
  ['types', '/ui/destinations/new'],
  ['new', '/ui/destinations/new/repo-host'],
  ['plans', '/ui/plan'],
  ['secrets', '/ui/secrets?mount=secret&folder=app%2Fproduction%2F'],
  ['secret', '/ui/secrets?mount=secret&secret=app%2Fproduction%2Fservice-1'],
  ['queue', '/ui/queue'],
  ['batches', '/ui/batches'],
  ['system', '/ui/system'],
  ['mounts', '/ui/system/mounts'],
  ['sync-config', '/ui/system/sync'],
  ['keys', '/ui/system/keys'],
  ['seal', '/ui/system/seal'],
  ['audit', '/ui/system/audit'],
  ['quotas', '/ui/system/quotas'],
  ['versions', '/ui/system/versions'],
  ['access', '/ui/access/policies'],
  ['policy', '/ui/access/policies?key=default'],
  ['tokens', '/ui/access/tokens'],
  ['entities', '/ui/access/entities'],
  ['methods', '/ui/access/methods'],
  ['workspaces', '/ui/workspaces'],
  ['explorer', '/ui/explorer'],
];

describe.skipIf(!hasBrowser())('every page', () => {
  test('is looked at by something that finds violations', async () => {
    const { page, forgive } = await visit('/ui/');
    forgive(/status of 403/);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
    expect(await violations(page)).toEqual([expect.stringContaining('image-alt')]);
    await page.evaluate("document.querySelector('main > img').remove()");
    await page.evaluate("document.querySelector('main').style.color = getComputedStyle(document.body).backgroundColor");
    expect(await violations(page, 'of colours')).toContainEqual(expect.stringContaining('color-contrast'));
    await page.evaluate("document.querySelector('main').style.color = ''");
  });

  test.each(bothColours)('in %s has no violation that axe finds, and fits', async (colours) => {
    const opened = await visit('/ui/', colours);
    // A list that is empty is not there.
    opened.forgive(/status of 404/);
    const { page } = opened;
    const quiet = followRequests(page);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    const found: string[] = [];
    const look = async (name: string) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${width}-${colours}.png`) });
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(wide) > 0) found.push(`${name} ${width}: ${wide} px too wide`);
        const looked = colours === 'light' ? 'every' : 'of colours';
        if (width !== 768) for (const one of await violations(page, looked)) found.push(`${name} ${width}: ${one}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await look('login');
    await logIn(opened, service.rootToken);
    for (const [name = '', path = ''] of pages()) {
      await page.goto(`${service.address}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await quiet();
      await look(name);
    }
    expect(found).toEqual([]);
  });
});
