import { z } from 'zod';
import type { UnsealSettings } from '#core/settings/unseal.ts';
import { zeroKeyring } from '#store/encryption/keyring.ts';
import { type LoanKey, newLoanKey } from '#store/seal/keys/loan.ts';
import type { Lender } from '#store/seal/keys/root-key-source.ts';
import { openKeyring, type SealRecord } from '#store/seal/record.ts';
import { type LendingApi, openLendingApi, unavailable } from './api.ts';
import { logIn } from './login.ts';

/** Short, because the API may be unsealed at any time, and a sealed process refuses at once. */
const retryMsMax = 5_000;

/** Reports how each attempt ended. */
type Seen = (result: 'opened' | 'failed') => void;

/** Borrows the root key from an unsealed API process. Every failure may be temporary, so the attempt is repeated. */
export const openLender = (settings: UnsealSettings, seen: Seen): Lender => ({
  keepMs: settings.keepMs,
  retryMsMax,
  opens: ({ type }) => type === 'shamir',
  async openRootKey(record, signal) {
    try {
      const rootKey = await borrow(settings, record, signal);
      seen('opened');
      return rootKey;
    } catch (error) {
      seen('failed');
      throw error;
    }
  },
  close() {},
});

async function borrow(settings: UnsealSettings, record: SealRecord, signal: AbortSignal): Promise<Buffer> {
  const api = await openLendingApi(settings, signal);
  try {
    const { token, isOurs } = await logIn(api, settings.login);
    try {
      const key = await newLoanKey();
      const reply = await api.post('nothing was lent', 'sys/sync/unseal', { public_key: key.publicKey }, token);
      return openLoan(reply, record, key);
    } finally {
      if (isOurs) await revoke(api, token);
    }
  } finally {
    await api.close();
  }
}

const revokeMsMax = 1_000;

/** If this fails, the token expires later. */
async function revoke(api: LendingApi, token: Parameters<LendingApi['post']>[3]): Promise<void> {
  const signal = AbortSignal.timeout(revokeMsMax);
  await api.post('the token was not revoked', 'auth/token/revoke-self', {}, token, signal).catch(() => {});
}

const loanReply = z.object({
  data: z.object({ wrapped_root_key: z.base64(), cluster_id: z.uuid(), seals: z.int().min(0) }),
});

/** @throws AppError `unavailable` when the reply is not a loan for this record */
function openLoan(reply: unknown, record: SealRecord, key: LoanKey): Buffer {
  const parsed = loanReply.safeParse(reply);
  if (!parsed.success) throw unavailable('nothing was lent: the answer does not come from this service');
  const { wrapped_root_key: wrapped, cluster_id: clusterId, seals } = parsed.data.data;
  if (clusterId !== record.cluster_id) {
    throw unavailable(
      `nothing was lent: the API belongs to the installation ${clusterId}, and the database to ${record.cluster_id}; check KEYFERRY_UNSEAL_ADDRESS and DATABASE_URL`,
    );
  }
  if (seals !== record.seals) throw unavailable('nothing was lent: the installation is being sealed or unsealed');
  const rootKey = unwrapped(key, Buffer.from(wrapped, 'base64'), record);
  mustOpen(record, rootKey);
  return rootKey;
}

function unwrapped(key: LoanKey, wrapped: Buffer, { cluster_id: clusterId, seals }: SealRecord): Buffer {
  try {
    return key.open(wrapped, { clusterId, seals });
  } catch {
    throw unavailable('nothing was lent: the answer is not for this request');
  }
}

/** Any sender could wrap a key; only a key that opens the keyring is the right one. */
function mustOpen(record: SealRecord, rootKey: Buffer): void {
  try {
    zeroKeyring(openKeyring(record, rootKey));
  } catch {
    rootKey.fill(0);
    throw unavailable('nothing was lent: the key in the answer does not open the store');
  }
}
