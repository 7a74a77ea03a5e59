import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { browsing, hasBrowser, logIn } from '../support/browse.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { visit } = browsing(service);

/** The page of the rules of a new destination, with the form of a new rule. */
async function newRule(rule: string) {
  const name = await service.destination(type);
  const opened = await visit(`/ui/destinations/${type}/${name}/rules`);
  const { page } = opened;
  // An empty list is not there.
  opened.forgive(/status of 404/);
  await logIn(opened, service.rootToken);
  await page.getByRole('button', { name: 'New rule' }).click();
  await page.getByLabel('Name (required)').fill(rule);
  await page.getByLabel('Secrets begin with').fill(`${rule}/`);
  return page;
}

describe.skipIf(!hasBrowser())('a form', () => {
  test('is sent once, however often it is pressed', async () => {
    const page = await newRule('pressed-twice');
    const sent: string[] = [];
    let answer: (() => Promise<void>) | undefined;
    await page.route('**/v1/sys/sync/rules/pressed-twice', (route) => {
      sent.push(route.request().postData() ?? '');
      answer = () => route.continue();
    });
    const begun = page.waitForRequest('**/v1/sys/sync/rules/pressed-twice');
    const store = page.getByRole('button', { name: 'Store rule' });
    await store.evaluate((button) => {
      const { click } = button as unknown as { click(): void };
      click.call(button);
      click.call(button);
    });
    await begun;
    await store.and(page.locator('[aria-disabled="true"]')).waitFor();
    await page.getByLabel('Name (required)').press('Enter');
    await store.click({ force: true });
    expect(sent).toHaveLength(1);
    await answer?.();
    await page.getByRole('list', { name: 'Rules' }).getByText('pressed-twice', { exact: true }).waitFor();
    expect(sent).toHaveLength(1);
  });

  test('stays when a press that began in it ends beside it', async () => {
    const page = await newRule('kept');
    const box = await page.getByLabel('Name (required)').boundingBox();
    if (box === null) throw new Error('the field is not there');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 3 });
    await page.mouse.up();
    expect(await page.getByLabel('Name (required)').inputValue()).toBe('kept');
    await page.mouse.click(5, 5);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
