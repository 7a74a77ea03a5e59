import type { Secret } from '../../../core/secret.ts';
import type { DestinationFailure, PutItem, PutMode } from '../../../destinations/contract.ts';
import type { Naming } from '../../template/naming.ts';
import { collision, type Entry, isStorable, type Refusal, refused, unstorable } from './entries.ts';

export type { Refusal };

/** An object that we wrote, or were about to write. */
export interface Written {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly mark: string;
  readonly intendedAt: Date;
  /** False: we meant to write it and do not know whether we did. */
  readonly written: boolean;
  /** How long ago it was last written, or looked at and found as we left it, in milliseconds. */
  readonly seenMsAgo: number | null;
  readonly remoteVersion: string | null;
  readonly fingerprint: Buffer | null;
  readonly tagKeys: readonly string[];
  /** `done`: we removed it, and remember it because a late write may bring it back. `due`: it is to be removed once more. */
  readonly removal: 'none' | 'done' | 'due';
}

export interface Put {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly value: Secret;
  readonly mode: PutMode;
  readonly fingerprint: Buffer;
  readonly staleTags: readonly string[];
  readonly before: Written | undefined;
  /** It looks unchanged: it is pushed only when the remote says otherwise. */
  readonly verify: boolean;
  /** The record leaves no doubt, so the driver need not look first. */
  readonly asRecorded: boolean;
}

/** An object that looks unchanged is looked at again when the last look at it is older than this. */
const lookAgainMs = 3_600_000;

/** What has to be done to bring the destination in line. */
export interface Plan {
  readonly puts: readonly Put[];
  /** Not called: in line by an earlier attempt for the same change, or unchanged and seen so not long ago. */
  readonly kept: readonly Put[];
  readonly removes: readonly Written[];
  readonly refusals: readonly Refusal[];
}

export interface PlanInput {
  readonly entries: readonly Entry[];
  readonly written: readonly Written[];
  readonly tags: Readonly<Record<string, string>>;
  readonly adopt: boolean;
  /** Push even what looks unchanged. */
  readonly forced: boolean;
  /** Look even at what was looked at not long ago. */
  readonly verify: boolean;
  /** Remove once more what a late write may have brought back. */
  readonly removeAgain: boolean;
  /** Names that an earlier attempt for the same change has confirmed: an attempt that ran out of time is gone on with. */
  readonly confirmed: ReadonlySet<string>;
  /** The rule of the drivers' frame: what would be refused there anyway is not begun. */
  readonly unfit: (put: Pick<PutItem, 'name' | 'value'>) => DestinationFailure | undefined;
  readonly name: (subKey: string) => Naming;
  readonly nameKey: (name: string) => string;
  readonly fingerprint: (name: string, value: Secret) => Buffer;
}

/**
 * Decides, touching nothing. Objects are known by their name as the remote compares names. A key that is refused keeps the
 * object it had: a bad template must not take a copy away that somebody uses.
 */
export function plan(input: PlanInput): Plan {
  const written = new Map(input.written.map((object) => [object.nameKey, object]));
  const puts: Put[] = [];
  const kept: Put[] = [];
  const refusals: Refusal[] = [];
  const takers = new Map<string, Entry[]>();
  const named: { readonly entry: Entry; readonly name: string; readonly nameKey: string }[] = [];
  for (const entry of input.entries) {
    if (!isStorable(entry.subKey)) {
      refusals.push(unstorable(entry.subKey));
      continue;
    }
    const naming = input.name(entry.subKey);
    if (!naming.ok) {
      refusals.push({ subKey: entry.subKey, name: '', kind: 'name', message: naming.problem });
      continue;
    }
    const nameKey = input.nameKey(naming.name);
    takers.set(nameKey, [...(takers.get(nameKey) ?? []), entry]);
    named.push({ entry, name: naming.name, nameKey });
  }
  for (const { entry, name, nameKey } of named) {
    const rivals = (takers.get(nameKey) ?? []).filter((other) => other !== entry);
    const refusal = collision(entry, name, rivals) ?? refused(entry, name, input.unfit({ name, value: entry.value }));
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    const put = toPut(input, entry, name, nameKey, written.get(nameKey));
    (isInLine(input, put) ? kept : puts).push(put);
  }
  const refusedKeys = new Set(refusals.map((refusal) => refusal.subKey));
  const removes = input.written.filter(
    (object) =>
      (object.removal !== 'done' || input.removeAgain) &&
      !takers.has(object.nameKey) &&
      !refusedKeys.has(object.subKey) &&
      mayBeRemoved(object, input.entries, refusedKeys),
  );
  return { puts, kept, removes, refusals };
}

/** The object of the whole secret stays until all its keys are there, and those of the keys until the whole is. */
function mayBeRemoved({ subKey }: Written, entries: readonly Entry[], refused: ReadonlySet<string>): boolean {
  const whole = entries.every((entry) => entry.subKey === '');
  return refused.size === 0 || (subKey === '') === whole;
}

function isInLine(input: PlanInput, put: Put): boolean {
  if (!isUnchanged(put)) return false;
  const seenMsAgo = put.before?.seenMsAgo ?? null;
  // A look in the future does not count: the clock went back since.
  const isFresh = seenMsAgo !== null && seenMsAgo >= 0 && seenMsAgo < lookAgainMs;
  return input.confirmed.has(put.name) || (put.verify && !input.verify && isFresh && put.staleTags.length === 0);
}

function toPut(input: PlanInput, entry: Entry, name: string, nameKey: string, before: Written | undefined): Put {
  const fingerprint = input.fingerprint(name, entry.value);
  const wanted = new Set(Object.keys(input.tags));
  return {
    subKey: entry.subKey,
    name,
    nameKey,
    value: entry.value,
    mode: input.adopt ? 'adopt' : before?.written === true ? 'update' : 'create',
    fingerprint,
    staleTags: (before?.tagKeys ?? []).filter((key) => !wanted.has(key)),
    before,
    verify: isUnchanged({ before, fingerprint }) && !input.forced,
    asRecorded: before === undefined ? !input.adopt : isCertain(before) && !input.forced && !input.verify,
  };
}

/** Nothing has failed since it was written: then its fingerprint is forgotten. */
export const isCertain = ({ written, fingerprint }: Written): boolean => written && fingerprint !== null;

const isUnchanged = ({ before, fingerprint }: Pick<Put, 'before' | 'fingerprint'>): boolean =>
  before?.written === true && before.fingerprint?.equals(fingerprint) === true;
