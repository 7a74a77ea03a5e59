import { describe, expect, test, vi } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { freePort } from '#infra/local/child.ts';
import { calm, connect, credentialsOf, standFor } from './support/stand.ts';

describe.each(definitions)('the stand-in of $type', (definition) => {
  const stand = standFor(definition);

  test('listens only on this machine', () => {
    expect(new URL(stand.fake.url).hostname).toBe('127.0.0.1');
  });

  test('gives a request body that the fields and the rules of the type accept, with credentials', () => {
    const { destination } = stand.fake;
    const connection = connect(definition, destination);
    expect(definition.validate(connection)).toEqual([]);
    expect(credentialsOf(definition, connection).filter((text) => text !== '')).not.toEqual([]);
    const common = ['allowed_ipv4_addresses', 'allowed_ports'];
    expect(Object.keys(destination).filter((name) => !(name in definition.fields))).toEqual(common);
  });

  test('shows a seeded value, and a newer seeded value', () => {
    const name = stand.name();
    stand.fake.seed(name, 'the first value');
    stand.fake.seed(name, 'the second value');
    expect(stand.object(name)).toMatchObject({ value: 'the second value' });
  });

  test('counts the calls of each operation', async () => {
    const before = stand.calls();
    await stand.open().put(stand.item(stand.name(), 'the value that is counted'), calm);
    expect(stand.calls()).toBeGreaterThan(before);
    expect([...stand.fake.calls().keys()].every((operation) => operation !== '')).toBe(true);
  });

  test('fails exactly as often as requested', async () => {
    const driver = stand.open();
    const name = stand.name();
    await driver.inspect(name, calm);
    stand.fake.fail({ kind: 'unavailable', times: 2 });
    await stand.failure(driver.inspect(name, calm), 'unavailable');
    await stand.failure(driver.inspect(name, calm), 'unavailable');
    expect(await driver.inspect(name, calm)).toBeUndefined();
  });

  test('applies a late write after its caller has given up, and does not delay looks', async () => {
    const item = stand.item(stand.name(), 'the late value');
    stand.fake.fail({ kind: 'late', lateMs: 3_000 });
    const driver = stand.open();
    expect(await driver.inspect(item.name, calm)).toBeUndefined();
    // Long enough for the calls before the write, even on a busy machine.
    await stand.failure(stand.open({ requestMs: 1_000 }).put(item, calm), 'timeout');
    expect(await driver.inspect(item.name, calm)).toBeUndefined();
    await vi.waitFor(async () => expect(await driver.inspect(item.name, calm)).toBeDefined(), 10_000);
  });

  test('listens on the requested port until it is closed', async () => {
    const port = await freePort();
    const startFake = await loadFake(definition.type);
    const first = await startFake({ port });
    expect(new URL(first.url).port).toBe(String(port));
    await first.close();
    const second = await startFake({ port });
    await second.close();
  });
});
