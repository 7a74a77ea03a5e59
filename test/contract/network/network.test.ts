import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { calm, standFor } from '../support/stand.ts';

const refused: Readonly<Record<string, Partial<NetworkPolicy>>> = {
  'a strict policy': { allowedIpv4: [], allowedPorts: [] },
  'a policy that allows only the port': { allowedIpv4: [] },
  'a policy that allows only the address': { allowedPorts: [] },
  'a policy that allows another address': { allowedIpv4: ['10.0.0.0/8'] },
};

const admitted: Readonly<Record<string, Partial<NetworkPolicy>>> = {
  'a policy that allows address and port': {},
  'a disabled policy': { disabled: true, allowedIpv4: [], allowedPorts: [] },
};

describe.each(definitions)('the driver of $type', (definition) => {
  const stand = standFor(definition);

  test.each(Object.entries(refused))('reaches nothing under %s', async (_policy, network) => {
    const before = stand.calls();
    const driver = stand.open({ network });
    const item = stand.item(stand.name(), 'the value that stays here');
    const failure = await stand.failure(driver.put(item, calm), 'blocked');
    await stand.failure(driver.remove({ name: item.name, mark: item.mark, remoteVersion: null }, calm), 'blocked');
    await stand.failure(driver.inspect(item.name, calm), 'blocked');
    expect(failure.message).toMatch(/allowed_(ports|ipv4_addresses)/);
    expect(stand.calls()).toBe(before);
  });

  test.each(Object.entries(admitted))('reaches the system under %s', async (_policy, network) => {
    const item = stand.item(stand.name(), 'the value that arrives');
    await stand.open({ network }).put(item, calm);
    expect(stand.object(item.name)?.value).toBe('the value that arrives');
  });
});
