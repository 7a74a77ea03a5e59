import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { shamirService } from '#test/support/flow/shamir.ts';
import { bothColours, browsing, hasBrowser, logIn, refusal, violations } from '../support/browse.ts';

const service = shamirService(
  { KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'), KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN: 'true' },
  { recovery_shares: 3, recovery_threshold: 2 },
);
const { visit } = browsing({
  get address() {
    return service.addresses[0] ?? '';
  },
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function give(page: Page, label: string, key: string): Promise<void> {
  await page.getByLabel(`${label} (required)`).fill(key);
  await press(page, 'Give it');
}

describe.skipIf(!hasBrowser())('the recovery keys of an automatic seal', () => {
  test.each(bothColours)('are changed, shown once, and verified before they count (%s)', async (colours) => {
    const [first = '', second = '', third = ''] = service.keys;
    const opened = await visit('/ui/system/keys', colours);
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, service.rootToken);
    await page.getByRole('heading', { name: 'Recovery keys' }).waitFor();
    await page.getByText('2 of 3 are needed.').waitFor();
    await press(page, 'Change the recovery keys');
    await page.getByLabel('Verify the new ones first').waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Begin');
    await give(page, 'Present recovery key', 'not a share');
    await page.getByRole('alert').first().waitFor();
    await give(page, 'Present recovery key', first);
    await page.getByText('1 of 2 given').waitFor();
    expect(await violations(page)).toEqual([]);
    await give(page, 'Present recovery key', third);
    await page.getByText('They are not shown again').waitFor();
    const keys = await page.getByRole('dialog').getByRole('listitem').allInnerTexts();
    expect(new Set(keys).size).toBe(3);
    expect(await violations(page)).toEqual([]);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    const kept = await readFile(await file.path(), 'utf8');
    for (const key of keys) expect(kept).toContain(key);
    await refusal(page, 'Go on', 'Keep the recovery keys first.');
    await page.getByLabel('I have kept the recovery keys').check();
    await press(page, 'Go on');
    await page.getByText('0 of 2 given').waitFor();
    for (const key of keys.slice(1)) {
      await page.getByLabel('New recovery key (required)').waitFor();
      await give(page, 'New recovery key', key);
    }
    await page.getByText('2 of 3 are needed.').waitFor();
    service.keys = keys.map((key) => Buffer.from(key, 'base64').toString('hex'));
    const ask = (method: string, path: string, body?: object) =>
      service.ask(0, method, `sys/generate-root/${path}`, body, service.rootToken);
    const { nonce } = (await ask('PUT', 'attempt', {})).body;
    const tried = (key: string | undefined) => ask('PUT', 'update', { key, nonce });
    await tried(first);
    expect((await tried(second)).body).not.toMatchObject({ complete: true });
    expect((await ask('DELETE', 'attempt')).status).toBe(204);
    const again = (await ask('PUT', 'attempt', {})).body['nonce'];
    await ask('PUT', 'update', { key: service.keys[0], nonce: again });
    expect((await ask('PUT', 'update', { key: service.keys[2], nonce: again })).body).toMatchObject({ complete: true });
  });

  test('are not changed by a caller without the right, and the page says what is missing', async () => {
    const policy = 'path "sys/key-status" { capabilities = ["read"] }';
    await service.ask(0, 'PUT', 'sys/policies/acl/looker', { policy }, service.rootToken);
    const made = await service.ask(0, 'POST', 'auth/token/create', { policies: ['looker'] }, service.rootToken);
    const opened = await visit('/ui/system/keys');
    const { page, forgive } = opened;
    forgive(/status of 40[034]/);
    await logIn(opened, (made.body['auth'] as { client_token: string }).client_token);
    await page.getByRole('heading', { name: 'Recovery keys' }).waitFor();
    await refusal(page, 'Change the recovery keys', 'sys/rekey-recovery-key/init');
    expect(await violations(page)).toEqual([]);
  });
});
