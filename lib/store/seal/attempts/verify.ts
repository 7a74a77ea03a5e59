import type { Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import type { Database } from '../../tables.ts';
import type { Rekey, VerifyStatus } from './contract.ts';
import { keyOf, mustBeNonce, readShare, withShare } from './given.ts';
import type { AttemptParts } from './parts.ts';
import type { Quorum } from './quorum.ts';
import type { RekeyState } from './rekey-state.ts';
import type { Attempt, StoredAttempts } from './stored.ts';

/** The second half of a rekey: the holders enter the new shares before the old ones become invalid. */
export function openVerification(
  parts: AttemptParts,
  attempts: StoredAttempts<RekeyState>,
  quorum: Quorum,
): Pick<Rekey, 'verification' | 'verify' | 'restartVerification'> {
  const { db, transaction } = parts;
  return {
    verification: async () => statusOf(mustBeWaiting(await attempts.find(db))),
    restartVerification: () =>
      transaction(async (tx) => {
        const { state } = mustBeWaiting(await attempts.hold(tx));
        // A new nonce, so that no holder continues the verification that was restarted.
        const next = { nonce: uuid(), state: { ...state, given: [] } };
        await attempts.save(tx, next);
        return statusOf(next);
      }),
    async verify(text, nonce) {
      const verified = await transaction((tx) => take(tx, parts, attempts, quorum, { text, nonce }));
      if (verified === undefined)
        throw badField('key', 'the given keys are not the new ones: start again with the first one');
      if (verified.complete) await parts.changed();
      return verified;
    },
  };
}

/** Undefined when enough shares were given but do not form the key. */
async function take(
  tx: Transaction<Database>,
  parts: AttemptParts,
  attempts: StoredAttempts<RekeyState>,
  quorum: Quorum,
  { text, nonce }: { readonly text: string; readonly nonce: string },
): Promise<(VerifyStatus & { readonly complete: boolean }) | undefined> {
  const attempt = mustBeWaiting(await attempts.hold(tx));
  mustBeNonce(nonce, attempt.nonce);
  const { rule } = attempt.state;
  const renewed = Buffer.from(attempt.state.rootKey, 'base64');
  const given = withShare(attempt.state.given, readShare(text, rule));
  const next = { nonce, state: { ...attempt.state, given } };
  if (given.length < rule.threshold) {
    await attempts.save(tx, next);
    return { ...statusOf(next), complete: false };
  }
  const key = await keyOf(given, rule);
  const isNew = key !== undefined && quorum.isNew(await parts.recordOf(tx), renewed, key);
  key?.fill(0);
  if (!isNew) {
    await attempts.save(tx, { nonce, state: { ...attempt.state, given: [] } });
    return undefined;
  }
  await quorum.putInForce(tx, renewed, rule);
  await attempts.end(tx);
  return { ...statusOf(next), complete: true };
}

type Waiting = Attempt<RekeyState & { readonly rootKey: string }>;

function mustBeWaiting(attempt: Attempt<RekeyState> | undefined): Waiting {
  const rootKey = attempt?.state.rootKey;
  if (attempt === undefined || rootKey === undefined) throw badRequest('no rekey verification in progress');
  return { nonce: attempt.nonce, state: { ...attempt.state, rootKey } };
}

const statusOf = ({ nonce, state }: Attempt<RekeyState>): VerifyStatus => ({
  nonce,
  rule: state.rule,
  progress: state.given.length,
});
