import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import type { Database } from '../../tables.ts';
import { type SealRecord, sealRootKey } from '../record.ts';
import { checkShareRule, splitKey } from '../shares.ts';
import type { Rekey, RekeyGiven, RekeyStatus } from './contract.ts';
import { keyOf, mustBeNonce, readShare, rootKeyBy, withShare, wrongKeys } from './given.ts';
import type { AttemptParts } from './parts.ts';
import { type RekeyState, rekeyForm } from './rekey-state.ts';
import { type Attempt, type StoredAttempts, storedAttempts } from './stored.ts';
import { openVerification, putInForce } from './verify.ts';

export function openRekey(parts: AttemptParts): Rekey {
  const { db, transaction, recordOf } = parts;
  const attempts = storedAttempts({ ...parts, kind: 'rekey', form: rekeyForm });
  return {
    ...openVerification(parts, attempts),
    status: async () => statusOf(mustHaveShares(await recordOf(db)), await attempts.find(db)),
    begin: (rule, verification) =>
      transaction(async (tx) => {
        const record = mustHaveShares(await recordOf(tx));
        checkShareRule(rule);
        const begun = await attempts.begin(tx, { rule, verification, given: [] });
        if (begun === undefined) throw badRequest('rekey already in progress');
        return statusOf(record, begun);
      }),
    cancel: () => attempts.end(db),
    async give(text, nonce) {
      const given = await transaction((tx) => take(tx, parts, attempts, text, nonce));
      // Thrown only now: that the wrong shares are forgotten has to be stored.
      if (given === undefined) throw wrongKeys();
      if (given.shares !== undefined) await parts.changed();
      return given;
    },
  };
}

/** Undefined: enough shares are there and do not fit. */
async function take(
  tx: Transaction<Database>,
  { recordOf }: AttemptParts,
  attempts: StoredAttempts<RekeyState>,
  text: string,
  nonce: string,
): Promise<RekeyGiven | undefined> {
  const attempt = await attempts.hold(tx);
  if (attempt === undefined || attempt.state.rootKey !== undefined) throw badRequest('no rekey in progress');
  mustBeNonce(nonce, attempt.nonce);
  const record = await recordOf(tx);
  const given = withShare(attempt.state.given, readShare(text, record));
  const next = { nonce, state: { ...attempt.state, given } };
  if (given.length < record.threshold) {
    await attempts.save(tx, next);
    return { ...statusOf(record, next), shares: undefined };
  }
  const rootKey = rootKeyBy(record, await keyOf(given, record));
  if (rootKey !== undefined) return replace(tx, attempts, next, record, rootKey);
  await attempts.save(tx, { nonce, state: { ...attempt.state, given: [] } });
  return undefined;
}

/** Makes the new key. It is in force at once, unless its shares are to be verified first. */
async function replace(
  tx: Transaction<Database>,
  attempts: StoredAttempts<RekeyState>,
  attempt: Attempt<RekeyState>,
  record: SealRecord,
  rootKey: Buffer,
): Promise<RekeyGiven> {
  const { rule, verification } = attempt.state;
  const key = randomBytes(keyBytes);
  try {
    const shares = await splitKey(key, rule);
    const sealed = sealRootKey(rootKey, key, record.cluster_id);
    if (!verification) {
      await putInForce(tx, sealed, rule);
      await attempts.end(tx);
      return { ...statusOf(record, attempt), shares };
    }
    const state = { ...attempt.state, given: [], rootKey: sealed.toString('base64') };
    const waiting = { nonce: attempt.nonce, state };
    await attempts.save(tx, waiting);
    return { ...statusOf(record, waiting), progress: record.threshold, shares };
  } finally {
    key.fill(0);
    rootKey.fill(0);
  }
}

function statusOf(record: SealRecord, attempt: Attempt<RekeyState> | undefined): RekeyStatus {
  const { threshold: required } = record;
  if (attempt === undefined) {
    const rule = { shares: 0, threshold: 0 };
    return { nonce: undefined, rule, progress: 0, required, verification: false, verificationNonce: undefined };
  }
  const { nonce, state } = attempt;
  const waits = state.rootKey !== undefined;
  return {
    nonce,
    rule: state.rule,
    progress: waits ? 0 : state.given.length,
    required,
    verification: state.verification,
    verificationNonce: waits ? nonce : undefined,
  };
}

function mustHaveShares(record: SealRecord): SealRecord {
  if (record.type === 'shamir') return record;
  throw badRequest('rekeying applies to key shares: the automatic seal has none, its key is configured');
}
