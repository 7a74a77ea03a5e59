import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '#infra/ui/build.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { type Headers, sendRaw } from './raw.ts';

beforeAll(() => buildPage());
const service = serviceOf([]);

async function ask(path: string, headers: Headers = {}, method = 'GET') {
  const raw = await sendRaw(`${service.address}${path}`, method, headers);
  return { ...raw, body: raw.bytes.toString() };
}

describe('the files of the page', () => {
  test('begin with one that names the others', async () => {
    const page = await ask('/ui/');
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    expect(page.body).toMatch(/src="\/ui\/main-[A-Z0-9]{8}\.js"/);
  });

  test('have headers that allow the page only what it needs', async () => {
    const { headers } = await ask('/ui/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    for (const rule of [
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  test('have a name by their content and stay in caches, in the form that the browser takes', async () => {
    const [, name = ''] = /src="(\/ui\/main-[^"]+)"/.exec((await ask('/ui/')).body) ?? [];
    const plain = await ask(name);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const br = await ask(name, { 'accept-encoding': 'gzip, deflate, br' });
    expect([br.headers['content-encoding'], br.headers['vary']]).toEqual(['br', 'Accept-Encoding']);
    expect(brotliDecompressSync(br.bytes).toString()).toBe(plain.body);
    const gzip = await ask(name, { 'accept-encoding': 'gzip, br;q=0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).toString()).toBe(plain.body);
    const known = await ask(name, { 'if-none-match': String(plain.headers['etag']) });
    expect([known.status, known.body]).toEqual([304, '']);
  });

  test('are found at every address of the page, and nothing else is', async () => {
    expect((await ask('/ui/records?status=PENDING')).body).toContain('<div id="page">');
    expect((await ask('/ui/destinations/cloud-a-sm/prod')).status).toBe(200);
    expect((await ask('/ui/destinations/cloud-a-sm/prod.eu')).status).toBe(200);
    expect((await ask('/ui/main-ABCDEFGH.js')).status).toBe(404);
    expect((await ask('/ui/metafile.json')).status).toBe(404);
    expect((await ask('/ui/../package.json')).status).toBe(404);
    expect((await ask('/ui/..%2f..%2fpackage.json')).status).toBe(404);
    expect((await ask('/ui/', {}, 'POST')).status).toBe(405);
  });

  test('are where a browser goes that opens the root', async () => {
    const browser = await ask('/', { accept: 'text/html,application/xhtml+xml' });
    expect([browser.status, browser.headers['location']]).toEqual([303, '/ui/']);
    expect((await ask('/', { accept: 'application/json' })).status).toBe(404);
    expect((await ask('/ui', {})).headers['location']).toBe('/ui/');
  });
});
