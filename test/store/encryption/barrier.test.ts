import { describe, expect, test } from 'vitest';
import { KeyringBarrier } from '#store/encryption/barrier.ts';
import { termOf } from '#store/encryption/cipher.ts';
import { activationDelayMs, decodeKeyring, encodeKeyring, newKeyring, withNewKey } from '#store/encryption/keyring.ts';
import { heldClock } from '../clocks.ts';

function openBarrier() {
  const clock = heldClock();
  const keyring = newKeyring(clock.now());
  const barrier = new KeyringBarrier(clock);
  barrier.load(keyring);
  return { clock, keyring, barrier };
}

const damaged = expect.objectContaining({ kind: 'internal' });

describe('a sealed value', () => {
  test('opens for its own row, as text and as bytes, even if it is empty', () => {
    const { barrier } = openBarrier();
    for (const value of ['', 'ü 12345678901234567890', Buffer.alloc(70_000, 7)]) {
      expect(barrier.open(barrier.seal(value, 'kv/1'), 'kv/1')).toEqual(Buffer.from(value));
    }
  });

  test('does not open for another row', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    expect(() => barrier.open(sealed, 'kv/2')).toThrow(damaged);
  });

  test('does not open when any of its bytes was altered', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    // The first four bytes are the term: with an unknown term, the keyring is reloaded first.
    for (let at = 4; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => barrier.open(changed, 'kv/1'), `byte ${at}`).toThrow(damaged);
    }
  });

  test('does not open when it was truncated', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    for (const length of [0, 4, 5, 32, sealed.length - 1]) {
      expect(() => barrier.open(sealed.subarray(0, length), 'kv/1'), `${length} bytes`).toThrow(damaged);
    }
  });

  test('differs each time the same value is sealed', () => {
    const { barrier } = openBarrier();
    expect(barrier.seal('value', 'kv/1')).not.toEqual(barrier.seal('value', 'kv/1'));
  });

  test('consists of the term, the version, a nonce, as many bytes as the value has, and a tag', () => {
    const { barrier } = openBarrier();
    const sealed = barrier.seal('value', 'kv/1');
    expect(sealed.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 1, 1]));
    expect(sealed).toHaveLength(5 + 12 + 'value'.length + 16);
  });
});

describe('after a rotation', () => {
  test('new values use the new key once every process had time to read it, and old values still open', () => {
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

  test('a process that has not read the new key reloads the keyring once and reports that it is not ready', () => {
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
  test('neither seals nor opens nor computes a MAC', () => {
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

  test('does not show keys when printed', async () => {
    const { inspect } = await import('node:util');
    const { barrier, keyring } = openBarrier();
    const shown = `${inspect(barrier, { depth: 9, showHidden: true })}${JSON.stringify(barrier)}`;
    expect(shown).not.toContain(inspect(keyring.macKey).slice(8, 30));
  });
});

test('sealed values are counted per term until the counts are stored', () => {
  const { barrier } = openBarrier();
  for (let count = 0; count < 3; count += 1) barrier.seal('value', 'kv/1');
  barrier.forgetUsed(new Map([[1, 2]]));
  expect(barrier.used).toEqual(new Map([[1, 1]]));
});
