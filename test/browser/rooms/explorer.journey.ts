import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { bothColours, browsing, hasBrowser, logIn, violations } from '../support/browse.ts';

const service = serviceOf([]);
const { visit } = browsing(service);

const hostile = '<script>document.title="1"</script>';
const rowUrl = (row: string) => `/ui/explorer?row=${encodeURIComponent(row)}`;

describe.skipIf(!hasBrowser())('the API explorer', () => {
  test.each(bothColours)('finds a row, sends what was typed, and shows its lines (%s)', async (colours) => {
    const opened = await visit('/ui/explorer', colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByRole('row').nth(5).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('searchbox').fill('post new version secret');
    await page.getByRole('row').filter({ hasText: '/v1/secret/data/{path}' }).press('Enter');
    await page.getByRole('heading', { name: '/v1/secret/data/{path}' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('path is required.').waitFor();
    await page.getByLabel('path (required)').fill(`explored/${colours}`);
    await page.getByLabel('data').fill(`password=marker-explored\nnote=${hostile}`);
    await page.getByLabel('options').fill('{"cas": 0}');
    const lines = page.getByRole('region', { name: 'As a line' });
    await expect
      .poll(() => lines.locator('pre').allTextContents())
      .toEqual([
        `curl -sS -X POST -H "X-Vault-Token: $VAULT_TOKEN" -H 'Content-Type: application/json' -d '{"data":{"…":"…"},"options":{"cas":0}}' ${service.address}/v1/secret/data/explored/${colours}`,
        `keyferry api POST secret/data/explored/${colours} -d '{"data":{"…":"…"},"options":{"cas":0}}'`,
      ]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send POST' }).click();
    await page.getByRole('region', { name: 'Reply', exact: true }).getByText('200 OK').waitFor();
    expect((await service.ask('GET', `secret/data/explored/${colours}`)).data['data']).toEqual({
      password: 'marker-explored',
      note: hostile,
    });
    expect(await violations(page)).toEqual([]);
  });

  test.each(bothColours)('masks the secrets of a reply until they are asked for, as text (%s)', async (colours) => {
    await service.secret({ password: 'marker-reply', note: hostile }, 'explored/reply');
    const opened = await visit(rowUrl('GET /v1/secret/data/{path}'), colours);
    const { page } = opened;
    await logIn(opened, service.rootToken);
    await page.getByLabel('path (required)').fill('explored/reply');
    await page.getByRole('button', { name: 'Send' }).click();
    const body = page.getByRole('region', { name: 'Body of the reply' });
    await body.getByText('"password"').waitFor();
    expect(await page.content()).not.toContain('marker-reply');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show values' }).click();
    await body.getByText('marker-reply').waitFor();
    expect(JSON.parse((await body.textContent()) ?? '')).toMatchObject({
      data: { data: { password: 'marker-reply', note: hostile } },
    });
    expect(await page.title()).not.toBe('1');
    expect(await violations(page)).toEqual([]);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])');
    expect(kept).not.toContain('marker-reply');
  });

  test.each(bothColours)('says why a caller may not use a row (%s)', async (colours) => {
    await service.ask('POST', 'sys/policies/acl/explores', {
      policy:
        'path "sys/internal/specs/openapi" { capabilities = ["read"] }\npath "secret/*" { capabilities = ["list"] }',
    });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['default', 'explores'] });
    const { client_token } = made.body['auth'] as { client_token: string };
    const opened = await visit(rowUrl('POST /v1/sys/mounts/{path}'), colours);
    const { page } = opened;
    await logIn(opened, client_token);
    await page.getByLabel('path (required)').fill('other');
    await page.getByText('Your policies do not grant "update" on sys/mounts/other.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${service.address}${rowUrl('GET /api/v2/organizations')}`);
    await page.getByText('Your token has no entity').waitFor();
    await page.getByText('Needs caller: any').waitFor();
    const bare = await service.ask('POST', 'auth/token/create', { policies: ['default'] });
    const other = await visit(rowUrl('GET /v1/sys/mounts'), colours);
    other.forgive(/status of 403/);
    await logIn(other, (bare.body['auth'] as { client_token: string }).client_token);
    await other.page.getByText('do not grant "read" on sys/internal/specs/openapi').waitFor();
    expect(await violations(other.page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });
});
