import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from './support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);
/** So many that a list of all of them has more bytes than the palette may ask for. */
const secrets = 2_000;

describe.skipIf(!hasBrowser())('the palette', () => {
  test.each(bothColours)(
    'finds one of many secrets by the beginning of its path, and pages, with few requests (%s)',
    async (colours) => {
      await writeMany();
      const opened = await visit('/ui/', colours);
      const { page, forgive } = opened;
      forgive(/status of 404/);
      await logIn(opened, service.rootToken);
      await page.keyboard.press('Control+k');
      const box = page.getByRole('combobox');
      await box.waitFor();
      let [asked, bytes] = [0, 0];
      page.on('response', (response) => {
        if (!/\/v1\/.*list=true/.test(response.url())) return;
        asked += 1;
        void response.body().then(
          (body) => (bytes += body.byteLength),
          () => {},
        );
      });
      await box.fill('many/s-0123');
      await page.getByRole('option').filter({ hasText: 'secret/many/s-01234' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(asked).toBeLessThan(10);
      expect(bytes).toBeLessThan(10_000);
      await box.fill('many/s-01234');
      await page.getByRole('option').filter({ hasText: 'secret/many/s-01234' }).waitFor();
      await page.getByRole('option').filter({ hasText: 'secret/many/s-01230' }).waitFor({ state: 'detached' });
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 's-01234' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Name of a page/ }).fill('Queue');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Queue' }).waitFor();
    },
  );
});

let isWritten = false;

/** Written once, a few at a time. */
async function writeMany(): Promise<void> {
  if (isWritten) return;
  isWritten = true;
  const atOnce = 50;
  for (let first = 0; first < secrets; first += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, (_, at) =>
        service.ask('POST', `secret/data/many/s-${String(first + at).padStart(5, '0')}`, { data: { v: '1' } }),
      ),
    );
}
