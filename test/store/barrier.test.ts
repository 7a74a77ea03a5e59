import { describe, expect, test } from 'vitest';
import { KeyringBarrier } from '../../lib/store/encryption/barrier.ts';
import { termOf } from '../../lib/store/encryption/cipher.ts';
import {
  activationDelayMs,
  decodeKeyring,
  encodeKeyring,
  newKeyring,
  withNewKey,
} from '../../lib/store/encryption/keyring.ts';
import { heldClock } from './clocks.ts';

function openBarrier() {
  const clock = heldClock();
  const keyring = newKeyring(clock.now());
  const barrier = new KeyringBarrier(clock);
  barrier.load(keyring);
  return { clock, keyring, barrier };
}

const damaged = expect.objectContaining({ kind: 'internal' });

describe('a sealed value', () => {
  test('opens at its own place, as text and as bytes, also when it is empty', () => {
    const { barrier } = openBarrier();
    for (const value of ['', 'ü 12345678901234567890', Buffer.alloc(70_000, 7)]) {
      expect(barrier.open(barrier.seal(value, 'kv/1'), 'kv/1')).toEqual(Buffer.from(value));
    }
  });

  test('does not open at another place', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    expect(() => barrier.open(sealed, 'kv/2')).toThrow(damaged);
  });

  test('does not open when any one of its bytes was changed', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    // The first four bytes are the term: an unknown one asks for the keyring first.
    for (let at = 4; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => barrier.open(changed, 'kv/1'), `byte ${at}`).toThrow(damaged);
    }
  });

  test('does not open when it was cut short', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    for (const length of [0, 4, 5, 32, sealed.length - 1]) {
      expect(() => barrier.open(sealed.subarray(0, length), 'kv/1'), `${length} bytes`).toThrow(damaged);
    }
  });

  test('is another one each time the same value is sealed', () => {
    const { barrier } = openBarrier();
    expect(barrier.seal('value', 'kv/1')).not.toEqual(barrier.seal('value', 'kv/1'));
  });

  test('has its term, its version, a nonce and a tag around as many bytes as the value has', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    expect(sealed.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 1, 1]));
    expect(sealed).toHaveLength(5 + 12 + 'value'.length + 16);
  });
});

describe('after a rotation', () => {
  test('values go under the new key once every process had time to read it, and old values open as before', () => {
    const { barrier, keyring, clock } = openBarrier();
    const old = barrier.seal('value', 'kv/1');
    barrier.load(decodeKeyring(encodeKeyring(withNewKey(keyring, clock.now()))));
    expect(termOf(barrier.seal('value', 'kv/1'))).toBe(1);
    clock.pass(activationDelayMs);
    const fresh = barrier.seal('value', 'kv/1');
    expect(termOf(fresh)).toBe(2);
    expect(barrier.open(fresh, 'kv/1').toString()).toBe('value');
    expect(barrier.open(old, 'kv/1').toString()).toBe('value');
  });

  test('a process that has not read the new key asks for it once and says that it is not ready', () => {
    const { barrier, keyring, clock } = openBarrier();
    const other = new KeyringBarrier(clock);
    other.load(decodeKeyring(encodeKeyring(withNewKey(keyring, clock.now()))));
    clock.pass(activationDelayMs);
    const sealed = other.seal('value', 'kv/1');
    let reloads = 0;
    barrier.onMissingTerm(async () => {
      reloads += 1;
    });
    expect(() => barrier.open(sealed, 'kv/1')).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    expect(() => barrier.open(sealed, 'kv/1')).toThrow(damaged);
    expect(reloads).toBe(1);
  });

  test('the keys of mac stay the same, and differ by purpose', () => {
    const { barrier, keyring, clock } = openBarrier();
    const before = barrier.mac('token', 'text');
    barrier.load(decodeKeyring(encodeKeyring(withNewKey(keyring, clock.now()))));
    expect(barrier.mac('token', 'text')).toEqual(before);
    expect(barrier.mac('mark', 'text')).not.toEqual(before);
    expect(barrier.mac('token', Buffer.from('text'))).toEqual(before);
  });
});

describe('a sealed barrier', () => {
  test('neither seals nor opens nor makes a mac', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    barrier.unload();
    const refusal = expect.objectContaining({ kind: 'sealed' });
    expect(barrier.sealed).toBe(true);
    expect(() => barrier.seal('value', 'kv/1')).toThrow(refusal);
    expect(() => barrier.open(sealed, 'kv/1')).toThrow(refusal);
    expect(() => barrier.mac('token', 'text')).toThrow(refusal);
  });

  test('has overwritten its keys', () => {
    const { barrier, keyring } = openBarrier();
    barrier.unload();
    for (const key of [keyring.macKey, ...keyring.keys.map((entry) => entry.key)]) {
      expect(key.every((byte) => byte === 0)).toBe(true);
    }
  });

  test('shows no key when it is printed', async () => {
    const { inspect } = await import('node:util');
    const { barrier, keyring } = openBarrier();
    const shown = `${inspect(barrier, { depth: 9, showHidden: true })}${JSON.stringify(barrier)}`;
    expect(shown).not.toContain(inspect(keyring.macKey).slice(8, 30));
  });
});

test('what was sealed is counted per term until it was stored', () => {
  const { barrier } = openBarrier();
  for (let count = 0; count < 3; count += 1) barrier.seal('value', 'kv/1');
  barrier.forgetUsed(new Map([[1, 2]]));
  expect(barrier.used).toEqual(new Map([[1, 1]]));
});
