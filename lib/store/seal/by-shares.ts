import { AppError, badRequest } from '../../core/errors.ts';
import { mustTakeShares } from './applies.ts';
import { quorumOf } from './attempts/quorum.ts';
import type { HeldSeal } from './held-seal.ts';
import { migrateSeal } from './migration/migrate.ts';
import type { Stand } from './migration/stand.ts';
import type { SealParts } from './parts.ts';
import { readRecord, type SealRecord } from './record.ts';
import { notInitialised } from './refusals.ts';
import { decodeKey } from './shares/key-text.ts';
import { rootKeyByShares, wrongShares } from './shares/root-key.ts';
import { mustBeShare, type ShareRule } from './shares/shares.ts';

/** Takes one share of `sys/unseal`; the last one that is needed unseals the process, or changes the seal as well. */
export async function takeShare(
  parts: SealParts,
  seal: HeldSeal,
  stand: () => Stand,
  { text, migrate }: { readonly text: string; readonly migrate: boolean },
): Promise<void> {
  const share = decodeKey(text);
  if (share === undefined) throw badRequest("'key' must be a valid hex or base64 string");
  seal.record ??= await readRecord(parts.db);
  if (seal.record?.type === 'shamir') mustBeShare(share, seal.record);
  // It may be that another process has sealed the installation, and this one has not heard of it yet.
  if (seal.keyring.held) await seal.read();
  if (seal.keyring.held) return;
  const { record, progress } = seal;
  if (record === undefined) throw notInitialised();
  mustTakeShares(record.type, stand(), migrate);
  const rule = migrate ? quorumOf(record, parts.barrier).ruleOf(record) : record;
  mustBeShare(share, rule);
  progress.add(share);
  if (progress.shares.length < rule.threshold) return;
  await (migrate ? change(parts, seal, record, rule) : open(parts, seal));
}

async function open({ db }: SealParts, seal: HeldSeal): Promise<void> {
  // Read again: the keyring may have been rotated since. When that fails, the shares are kept for the next try.
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
    // While a key service or the database is away, the shares are kept for the next try.
    if (!(error instanceof AppError && error.kind === 'unavailable')) seal.progress.reset();
    throw error;
  }
}
