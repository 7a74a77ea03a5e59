import { describe, expect, test } from 'vitest';
import { KeyringBarrier } from '#store/encryption/barrier.ts';
import { newKeyring } from '#store/encryption/keyring.ts';
import { heldClock } from '../clocks.ts';

const damaged = expect.objectContaining({ kind: 'internal' });
const aad = 'kv/1';

function openBarrier(): KeyringBarrier {
  const clock = heldClock();
  const barrier = new KeyringBarrier(clock);
  barrier.load(newKeyring(clock.now()));
  return barrier;
}

/** A value in pieces of this many bytes; the last piece may be shorter. */
async function* inPieces(value: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < value.length; at += bytes) yield value.subarray(at, at + bytes);
}

describe('a value that is sealed or opened in pieces', () => {
  test('equals one that is processed as a whole', async () => {
    const barrier = openBarrier();
    const pieces = ['ü', Buffer.from('ö12'), '', 'x'.repeat(1_000)];
    const sealed = await barrier.sealInSlices(() => pieces.values(), aad);
    expect(barrier.open(sealed, aad).toString()).toBe(`üö12${'x'.repeat(1_000)}`);
  });

  test('opens whatever the boundaries of its pieces', async () => {
    const barrier = openBarrier();
    const value = Buffer.from('x'.repeat(100));
    const sealed = barrier.seal(value, aad);
    for (let bytes = 1; bytes <= sealed.length; bytes += 1) {
      const opened = await barrier.openInSlices(inPieces(sealed, bytes), aad);
      expect(Buffer.concat(opened).equals(value), `pieces of ${bytes} bytes`).toBe(true);
    }
  });

  test('does not open when it was altered or truncated, or for another row', async () => {
    const barrier = openBarrier();
    const sealed = barrier.seal('x'.repeat(100), aad);
    await expect(barrier.openInSlices(inPieces(sealed, 40), 'kv/2')).rejects.toEqual(damaged);
    for (const at of [4, 5, 20, 60, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await expect(barrier.openInSlices(inPieces(changed, 40), aad), `byte ${at}`).rejects.toEqual(damaged);
    }
    for (const length of [0, 4, 5, 16, 17, 32, 40, 41, 60, sealed.length - 1]) {
      const short = inPieces(sealed.subarray(0, length), 40);
      await expect(barrier.openInSlices(short, aad), `${length} bytes`).rejects.toEqual(damaged);
    }
  });
});
