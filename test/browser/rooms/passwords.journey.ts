import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);

describe.skipIf(!hasBrowser())('password policies', () => {
  test.each(bothColours)('are written, generate a sample, and are deleted (%s)', async (colours) => {
    const name = `pins-${colours}`;
    const opened = await visit('/ui/access/passwords', colours);
    const { page, forgive } = opened;
    forgive(/status of 40[04]/);
    await logIn(opened, service.rootToken);
    await page.getByRole('link', { name: 'New password policy' }).click();
    await page.getByLabel('Name (required)').fill(name);
    const rules = page.getByLabel('Rules', { exact: true });
    await rules.fill('length = 12\nrule "letters" {\n  charset = "abc"\n}\n');
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^line 2, column \d+/ })
      .waitFor();
    await page.locator('.code-mark[data-line="2"]').waitFor();
    expect(await violations(page)).toEqual([]);
    await rules.fill('length = 12\nrule "charset" {\n  charset = "0123456789"\n}\n');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    const sample = page.getByRole('region', { name: 'Sample' });
    await sample.getByRole('button', { name: 'Generate' }).click();
    await sample.getByText(/^\d{12}$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await rules.fill('length = 8\nrule "charset" {\n  charset = "ab"\n}\n');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(`${name} is saved`).waitFor();
    await expect.poll(() => sample.getByRole('button', { disabled: true }).count()).toBe(0);
    await sample.getByRole('button', { name: 'Generate' }).click();
    await sample.getByText(/^[ab]{8}$/).waitFor();
    await page.getByRole('link', { name: 'Password policies' }).first().click();
    await page.getByRole('row').filter({ hasText: name }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No password policy yet').waitFor();
    expect((await service.ask('GET', `sys/policies/password/${name}`)).status).toBe(404);
    expect(await violations(page)).toEqual([]);
  });
});
