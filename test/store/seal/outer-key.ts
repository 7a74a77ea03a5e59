import { randomBytes } from 'node:crypto';
import { AppError } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { OuterKey } from '#store/seal/keys/root-key-source.ts';
import { openStaticKey } from '#store/seal/keys/static-key.ts';

/** A key that can be unreachable: `away` refuses, `hangs` never answers and ignores its signal. */
export interface UnreliableKey extends OuterKey {
  state: 'there' | 'away' | 'hangs';
  asked: number;
}

export async function unreliableKey(): Promise<UnreliableKey> {
  const key = await openStaticKey({ key: new Secret(randomBytes(32).toString('hex')) });
  const self: UnreliableKey = {
    ...key,
    state: 'there',
    asked: 0,
    async openRootKey(record, signal) {
      self.asked += 1;
      if (self.state === 'away') throw new AppError('unavailable', 'the key service is away');
      if (self.state === 'hangs') await new Promise<never>(() => {});
      return key.openRootKey(record, signal);
    },
    // Several stores of a test share it.
    close: () => {},
  };
  return self;
}
