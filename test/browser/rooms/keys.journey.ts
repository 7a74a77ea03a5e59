import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { shamirService } from '#test/support/flow/shamir.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from '../support/browse.ts';

const service = shamirService({}, { secret_shares: 3, secret_threshold: 2 });
const { visit } = browsing({
  get address() {
    return service.addresses[0] ?? '';
  },
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = (page: Page) => page.getByRole('dialog');

async function give(page: Page, label: string, share: string): Promise<void> {
  await page.getByLabel(`${label} (required)`).fill(share);
  await press(page, 'Give it');
}

/** Ends a change with as many new shares as there are now, and returns them. */
async function change(page: Page, isVerified: boolean): Promise<readonly string[]> {
  const [one = '', two = ''] = service.keys;
  await press(page, 'Change the key shares');
  await page.getByLabel('New key shares (required)').fill('5');
  await page.getByLabel('Of which are needed (required)').fill('3');
  await page.getByLabel('Verify the new ones first').setChecked(isVerified);
  expect(await violations(page)).toEqual([]);
  await press(page, 'Begin');
  await page.getByText('0 of 2 given').waitFor();
  await give(page, 'Present key share', one);
  await page.getByText('1 of 2 given').waitFor();
  expect(await violations(page)).toEqual([]);
  await give(page, 'Present key share', two);
  await page.getByText('They are not shown again').waitFor();
  const shares = await dialog(page).getByRole('listitem').allInnerTexts();
  expect(new Set(shares).size).toBe(5);
  expect(await violations(page)).toEqual([]);
  return shares;
}

/** The shares of a service that was set back to three of which two unseal. */
async function setBack(): Promise<void> {
  const { body } = await service.ask(0, 'PUT', 'sys/rekey/init', { secret_shares: 3, secret_threshold: 2 });
  for (const key of service.keys.slice(0, Number(body['required']))) {
    const given = await service.ask(0, 'PUT', 'sys/rekey/update', { key, nonce: body['nonce'] });
    if (given.body['complete'] === true) service.keys = given.body['keys'] as string[];
  }
}

describe.skipIf(!hasBrowser())('the key shares', () => {
  test.each(bothColours)('are changed, shown once, and verified before they count (%s)', async (colours) => {
    const opened = await visit('/ui/system/keys', colours);
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, service.rootToken);
    const shares = await change(page, true);
    await page.keyboard.press('Escape');
    await page.getByText('Keep the key shares first.').first().waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    const kept = await readFile(await file.path(), 'utf8');
    for (const share of shares) expect(kept).toContain(share);
    await refusal(page, 'Go on', 'Keep the key shares first.');
    await page.getByLabel('I have kept the key shares').check();
    await press(page, 'Go on');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(shares[0]);
    await page.getByText('0 of 3 given').waitFor();
    await give(page, 'New key share', shares[0] ?? '');
    await page.getByText('1 of 3 given').waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Start over');
    await page.getByText('0 of 3 given').waitFor();
    for (const share of shares.slice(0, 3)) {
      await page.getByLabel('New key share (required)').waitFor();
      await give(page, 'New key share', share);
    }
    await page.getByText('3 of 5 are needed to unseal').waitFor();
    service.keys = shares.map((share) => Buffer.from(share, 'base64').toString('hex'));
    expect((await service.ask(0, 'GET', 'sys/seal-status')).body).toMatchObject({ n: 5, t: 3 });
    await page.goto('about:blank');
    await service.restart();
    await service.unseal();
    expect((await service.ask(0, 'GET', 'sys/seal-status')).body['sealed']).toBe(false);
    await setBack();
  });

  test('are changed at once where no verification was asked for', async () => {
    const opened = await visit('/ui/system/keys');
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, service.rootToken);
    const shares = await change(page, false);
    await page.getByText('They are in force').waitFor();
    service.keys = shares.map((share) => Buffer.from(share, 'base64').toString('hex'));
    await page.getByLabel('I have kept the key shares').check();
    await press(page, 'Go on');
    await page.getByText('3 of 5 are needed to unseal').waitFor();
    await setBack();
  });

  test('stay as they are when a share is wrong, and when the change is canceled', async () => {
    const opened = await visit('/ui/system/keys');
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, service.rootToken);
    await press(page, 'Change the key shares');
    await page.getByLabel('Of which are needed (required)').fill('9');
    await press(page, 'Begin');
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Of which are needed (required)').fill('2');
    await press(page, 'Begin');
    await give(page, 'Present key share', 'not a share');
    await page.getByRole('region', { name: 'Key shares' }).getByRole('alert').waitFor();
    await give(page, 'Present key share', service.keys[0] ?? '');
    await page.getByText('1 of 2 given').waitFor();
    await press(page, 'Cancel the change');
    await dialog(page).getByRole('button', { name: 'Cancel the change' }).click();
    await page.getByText('2 of 3 are needed to unseal').waitFor();
    expect((await service.ask(0, 'GET', 'sys/rekey/init')).body['started']).toBe(false);
  });
});
