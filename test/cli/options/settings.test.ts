import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Host } from '#cli/host.ts';
import { readSettings } from '#cli/settings/settings.ts';
import { readTokenFile, removeTokenFile, writeTokenFile } from '#cli/settings/token-file.ts';
import { Secret } from '#core/secret.ts';

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'keyferry-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const hostWith = (environment: Host['environment'], home = '/nonexistent') => ({ environment, home }) as Host;

test('a flag comes before KEYFERRY_, which comes before VAULT_', () => {
  const family = { VAULT_ADDR: 'https://family:8200', VAULT_NAMESPACE: 'team/', VAULT_TOKEN: 'hvs.family' };
  const ours = { ...family, KEYFERRY_ADDR: 'https://ours:8200/base/', KEYFERRY_TOKEN: 'hvs.ours' };
  const of = (environment: Host['environment'], flags = {}) => {
    const { connection } = readSettings(hostWith(environment), flags);
    return [connection.address, connection.namespace, connection.token?.reveal()];
  };
  expect(of({})).toEqual(['http://127.0.0.1:8200', '', undefined]);
  expect(of(family)).toEqual(['https://family:8200', 'team', 'hvs.family']);
  expect(of(ours)).toEqual(['https://ours:8200/base', 'team', 'hvs.ours']);
  expect(of({ ...ours, KEYFERRY_TOKEN: '' })).toContain('hvs.family');
  expect(of(ours, { address: 'http://flag', namespace: 'a/b' })).toEqual(['http://flag', 'a/b', 'hvs.ours']);
});

test.each([
  [{ KEYFERRY_ADDR: 'ours:8200' }, 'usage', 'http:// or https://'],
  [{ KEYFERRY_ADDR: 'https://user:secret-word@ours' }, 'usage', 'must not contain a user'],
  [{ KEYFERRY_FORMAT: 'xml' }, 'usage', 'table, wide, json'],
  [{ KEYFERRY_CLIENT_TIMEOUT: 'soon' }, 'usage', 'number from 1'],
  [{ KEYFERRY_CACERT: '/nonexistent/ca.pem' }, 'failed', 'ENOENT'],
  [{ KEYFERRY_TOKEN: 'hvs.secret-word\nx' }, 'token', 'characters'],
])('the settings %j are refused', (environment, exit, message) => {
  const read = () => readSettings(hostWith(environment), {});
  expect(read).toThrow(expect.objectContaining({ exit, message: expect.stringContaining(message) }));
  expect(read).not.toThrow('secret-word');
});

test('the file with the token is only for its user, and a token in it is used', async () => {
  const home = await newHome();
  const file = join(home, '.vault-token');
  await writeFile(file, 'old', { mode: 0o644 });
  await writeTokenFile(home, new Secret('hvs.new'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe('hvs.new');
  const settings = readSettings(hostWith({}, home), {});
  expect(settings.connection.token?.reveal()).toBe('hvs.new');
  expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toContain('hvs.new');
  removeTokenFile(home);
  expect(readTokenFile(home)).toBeUndefined();
});
