import { expect, test } from 'vitest';
import { BlockedConnection, blockedMessage, isBlocked } from '#network/blocked.ts';

const blocked = new BlockedConnection({ host: 'vault.internal', address: '10.0.0.5', port: 8200 }, [
  { reason: '10.0.0.5 is in 10.0.0.0/8 (private use)', field: 'allowed_ipv4_addresses' },
  { reason: 'port 8200 is neither 80 nor 443', field: 'allowed_ports' },
]);

test('the message names the target, each rule and the field that allows it', () => {
  expect(blocked.message).toBe(
    'strict networking blocked the connection to vault.internal (10.0.0.5) port 8200: ' +
      '10.0.0.5 is in 10.0.0.0/8 (private use) (allowed_ipv4_addresses opens it); ' +
      'port 8200 is neither 80 nor 443 (allowed_ports opens it)',
  );
});

test('it is found behind causes and among the members of an AggregateError', () => {
  const deep = new Error('a', { cause: new AggregateError([new Error('b'), new TypeError('c', { cause: blocked })]) });
  expect(isBlocked(blocked)).toBe(true);
  expect(isBlocked(deep)).toBe(true);
  expect(blockedMessage(deep)).toBe(blocked.message);
});

test('it is found in an SDK error that kept only message and code', () => {
  expect(isBlocked(Object.assign(new Error(blocked.message), { code: blocked.code }))).toBe(true);
});

test('other errors, no errors and endless chains are not blocked connections', () => {
  const cycle = new Error('cycle');
  cycle.cause = cycle;
  expect([cycle, new Error('x'), undefined, 'text', { cause: blocked }].map(isBlocked)).toEqual(Array(5).fill(false));
});
