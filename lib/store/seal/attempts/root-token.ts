import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { AppError, badRequest } from '#core/errors.ts';
import type { Database } from '../../tables.ts';
import type { RootTokenAttempts, RootTokenStatus } from './contract.ts';
import { mustBeNonce, proofBy, readShare, withShare, wrongKeys } from './given.ts';
import type { AttemptParts } from './parts.ts';
import { quorumOf } from './quorum.ts';
import { keyText, type StoredAttempts, storedAttempts } from './stored.ts';

const schema = z.object({ otp: z.string(), given: z.array(keyText).readonly() }).readonly();
type State = z.output<typeof schema>;

export function openRootTokenAttempts(parts: AttemptParts): RootTokenAttempts {
  const { db, transaction, recordOf } = parts;
  const attempts = storedAttempts({ ...parts, kind: 'root-token', schema });
  const statusOf = async (from: Kysely<Database>): Promise<RootTokenStatus> => {
    const [record, attempt] = [await recordOf(from), await attempts.find(from)];
    const progress = attempt?.state.given.length ?? 0;
    const { threshold: required } = quorumOf(record, parts.barrier).ruleOf(record);
    return { nonce: attempt?.nonce, progress, required, combined: undefined };
  };
  return {
    status: () => statusOf(db),
    begin: (otp) =>
      transaction(async (tx) => {
        const begun = await attempts.begin(tx, { otp, given: [] });
        if (begun === undefined) throw badRequest('root generation already in progress');
        return statusOf(tx);
      }),
    cancel: () => attempts.end(db),
    async give(text, nonce, mint) {
      const status = await transaction(async (tx) => {
        const { attempt, quorum, rule, record } = await mustBeInProgress(tx, attempts, parts, nonce);
        const given = withShare(attempt.state.given, readShare(text, rule));
        if (given.length < rule.threshold) {
          await attempts.save(tx, { nonce, state: { ...attempt.state, given } });
          return statusOf(tx);
        }
        const proof = await proofBy(quorum, record, given);
        proof?.end();
        if (proof === undefined) {
          await attempts.save(tx, { nonce, state: { ...attempt.state, given: [] } });
          return undefined;
        }
        await attempts.end(tx);
        const combined = combine(await mint(tx), attempt.state.otp);
        return { nonce, progress: rule.threshold, required: rule.threshold, combined };
      });
      // Thrown after the commit, so that the reset of the wrong shares is stored.
      if (status === undefined) throw wrongKeys();
      return status;
    },
  };
}

async function mustBeInProgress(
  tx: Transaction<Database>,
  attempts: StoredAttempts<State>,
  parts: AttemptParts,
  nonce: string,
) {
  const attempt = await attempts.hold(tx);
  if (attempt === undefined) throw badRequest('no root generation in progress');
  mustBeNonce(nonce, attempt.nonce);
  const record = await parts.recordOf(tx);
  const quorum = quorumOf(record, parts.barrier);
  return { attempt, record, quorum, rule: quorum.ruleOf(record) };
}

function combine(token: string, otp: string): Buffer {
  const [bytes, pad] = [Buffer.from(token), Buffer.from(otp)];
  if (bytes.length !== pad.length) throw new AppError('internal', 'the one-time pad and the token differ in length');
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index] ?? 0)));
}
