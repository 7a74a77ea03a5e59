import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { badRequest } from '#core/errors.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import type { Database } from '../../tables.ts';
import { checkShareRule, type ShareRule, splitKey } from '../shares/shares.ts';
import type { Rekey, RekeyGiven, RekeyStatus } from './contract.ts';
import { mustBeNonce, proofBy, readShare, withShare, wrongKeys } from './given.ts';
import type { AttemptParts } from './parts.ts';
import type { Proof, Quorum } from './quorum.ts';
import { type RekeyState, rekeySchema } from './rekey-state.ts';
import { type Attempt, type StoredAttempts, storedAttempts } from './stored.ts';
import { openVerification } from './verify.ts';

/** Replaces the key of a quorum. */
export function openRekey(parts: AttemptParts, quorum: Quorum): Rekey {
  const { db, transaction, recordOf } = parts;
  const attempts = storedAttempts({ ...parts, kind: quorum.kind, schema: rekeySchema });
  return {
    ...openVerification(parts, attempts, quorum),
    status: async () => statusOf(quorum.ruleOf(await recordOf(db)), await attempts.find(db)),
    begin: (rule, verification) =>
      transaction(async (tx) => {
        const present = quorum.ruleOf(await recordOf(tx));
        checkShareRule(rule);
        const begun = await attempts.begin(tx, { rule, verification, given: [] });
        if (begun === undefined) throw badRequest('rekey already in progress');
        return statusOf(present, begun);
      }),
    cancel: () => attempts.end(db),
    async give(text, nonce) {
      const given = await transaction((tx) => take(tx, parts, attempts, quorum, { text, nonce }));
      // Thrown after the commit, so that the reset of the wrong shares is stored.
      if (given === undefined) throw wrongKeys();
      if (given.shares !== undefined) await parts.changed();
      return given;
    },
  };
}

/** Undefined when enough shares were given but do not form the key. */
async function take(
  tx: Transaction<Database>,
  { recordOf }: AttemptParts,
  attempts: StoredAttempts<RekeyState>,
  quorum: Quorum,
  { text, nonce }: { readonly text: string; readonly nonce: string },
): Promise<RekeyGiven | undefined> {
  const attempt = await attempts.hold(tx);
  if (attempt === undefined || attempt.state.rootKey !== undefined) throw badRequest('no rekey in progress');
  mustBeNonce(nonce, attempt.nonce);
  const record = await recordOf(tx);
  const present = quorum.ruleOf(record);
  const given = withShare(attempt.state.given, readShare(text, present));
  const next = { nonce, state: { ...attempt.state, given } };
  if (given.length < present.threshold) {
    await attempts.save(tx, next);
    return { ...statusOf(present, next), shares: undefined };
  }
  const proof = await proofBy(quorum, record, given);
  if (proof !== undefined) return replace(tx, attempts, next, { quorum, present, proof });
  await attempts.save(tx, { nonce, state: { ...attempt.state, given: [] } });
  return undefined;
}

/** Makes the new key. It takes effect at once, unless its shares have to be verified first. */
async function replace(
  tx: Transaction<Database>,
  attempts: StoredAttempts<RekeyState>,
  attempt: Attempt<RekeyState>,
  { quorum, present, proof }: { readonly quorum: Quorum; readonly present: ShareRule; readonly proof: Proof },
): Promise<RekeyGiven> {
  const { rule, verification } = attempt.state;
  const key = randomBytes(keyBytes);
  try {
    const shares = await splitKey(key, rule);
    const renewed = proof.renew(key);
    if (!verification) {
      await quorum.putInForce(tx, renewed, rule);
      await attempts.end(tx);
      return { ...statusOf(present, attempt), shares };
    }
    const state = { ...attempt.state, given: [], rootKey: renewed.toString('base64') };
    const waiting = { nonce: attempt.nonce, state };
    await attempts.save(tx, waiting);
    return { ...statusOf(present, waiting), progress: present.threshold, shares };
  } finally {
    key.fill(0);
    proof.end();
  }
}

function statusOf({ threshold: required }: ShareRule, attempt: Attempt<RekeyState> | undefined): RekeyStatus {
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
