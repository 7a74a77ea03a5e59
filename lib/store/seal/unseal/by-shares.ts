import { AppError, badField } from '#core/errors.ts';
import { quorumOf } from '../attempts/quorum.ts';
import type { HeldSeal } from '../held/seal.ts';
import type { SealMatch } from '../migration/match.ts';
import { migrateSeal } from '../migration/migrate.ts';
import type { SealParts } from '../parts.ts';
import { readRecord, type SealRecord } from '../record.ts';
import { notInitialised } from '../refusals.ts';
import { decodeKey } from '../shares/key-text.ts';
import { rootKeyByShares, wrongShares } from '../shares/root-key.ts';
import { mustBeShare, type ShareRule } from '../shares/shares.ts';
import { mustTakeShares } from './applies.ts';

/** Takes one share for `sys/unseal`. The last share needed unseals the process, and with `migrate` also changes the seal. */
export async function takeShare(
  parts: SealParts,
  seal: HeldSeal,
  match: () => SealMatch,
  { text, migrate }: { readonly text: string; readonly migrate: boolean },
): Promise<void> {
  const share = decodeKey(text);
  if (share === undefined) throw badField('key', "'key' must be a valid hex or base64 string");
  seal.record ??= await readRecord(parts.db);
  if (seal.record?.type === 'shamir') mustBeShare(share, seal.record);
  // Another process may have sealed the installation without this one having noticed yet.
  if (seal.keyring.held) await seal.read();
  if (seal.keyring.held) return;
  const { record, progress } = seal;
  if (record === undefined) throw notInitialised();
  mustTakeShares(record.type, match(), migrate);
  const rule = migrate ? quorumOf(record, parts.barrier).ruleOf(record) : record;
  mustBeShare(share, rule);
  progress.add(share);
  if (progress.shares.length < rule.threshold) return;
  await (migrate ? change(parts, seal, record, rule) : open(parts, seal));
}

async function open({ db }: SealParts, seal: HeldSeal): Promise<void> {
  // Read again because the keyring may have been rotated since. If reading fails, the shares are kept for the next attempt.
  const record = await readRecord(db);
  if (record === undefined) throw notInitialised();
  try {
    seal.open(record, await rootKeyByShares(record, seal.progress.shares));
  } catch (cause) {
    throw wrongShares(cause);
  } finally {
    seal.progress.reset();
  }
}

async function change(parts: SealParts, seal: HeldSeal, before: SealRecord, rule: ShareRule): Promise<void> {
  try {
    const { record, rootKey } = await migrateSeal(parts, before, seal.progress.shares, rule);
    seal.staysSealed = false;
    seal.open(record, rootKey);
    seal.progress.reset();
    parts.log.info({ from: before.type, to: record.type }, 'the seal was migrated');
  } catch (error) {
    // While a key service or the database is unavailable, the shares are kept for the next attempt.
    if (!(error instanceof AppError && error.kind === 'unavailable')) seal.progress.reset();
    throw error;
  }
}
