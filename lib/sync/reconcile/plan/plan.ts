import type { Secret } from '#core/secret.ts';
import type { DestinationFailure, PutItem, PutMode } from '#destinations/contract.ts';
import type { Written } from '../../model/written.ts';
import type { Naming } from '../../template/naming.ts';
import { collision, type Entry, isStorable, type Refusal, refused, unstorable } from './entries.ts';

export type { Refusal };

export interface Put {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly value: Secret;
  readonly mode: PutMode;
  readonly fingerprint: Buffer;
  readonly staleTags: readonly string[];
  readonly before: Written | undefined;
  /** It looks unchanged, so it is pushed only if the remote shows otherwise. */
  readonly verify: boolean;
  /** Our record is certain, so the driver need not look first. */
  readonly asRecorded: boolean;
}

/** An object that looks unchanged is looked at again when the last look is older than this. */
const lookAgainMs = 3_600_000;

/** What brings the destination in line. */
export interface Plan {
  readonly puts: readonly Put[];
  /** No call needed: brought in line by an earlier attempt for the same change, or recently seen unchanged. */
  readonly kept: readonly Put[];
  readonly removes: readonly Written[];
  readonly refusals: readonly Refusal[];
}

export interface PlanInput {
  readonly entries: readonly Entry[];
  readonly written: readonly Written[];
  readonly tags: Readonly<Record<string, string>>;
  readonly adopt: boolean;
  /** Push objects even if they look unchanged. */
  readonly forced: boolean;
  /** Look at objects even if they were looked at recently. */
  readonly verify: boolean;
  /** Remove tombstoned objects once more, because a late write may have brought them back. */
  readonly removeAgain: boolean;
  /** Names that an earlier attempt for the same change has confirmed; this attempt continues from there. */
  readonly confirmed: ReadonlySet<string>;
  /** The check of the drivers' frame, applied early so that no call is spent on what it would refuse. */
  readonly unfit: (put: Pick<PutItem, 'name' | 'value'>) => DestinationFailure | undefined;
  readonly name: (subKey: string) => Naming;
  readonly nameKey: (name: string) => string;
  readonly fingerprint: (name: string, value: Secret) => Buffer;
}

/**
 * Decides without side effects. Objects are identified by their name as the remote compares names. A refused key keeps its
 * existing object: a bad template must not remove a copy that is in use.
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

/** The object of the whole secret stays until all key objects exist, and key objects stay until the whole one exists. */
function mayBeRemoved({ subKey }: Written, entries: readonly Entry[], refused: ReadonlySet<string>): boolean {
  const whole = entries.every((entry) => entry.subKey === '');
  return refused.size === 0 || (subKey === '') === whole;
}

function isInLine(input: PlanInput, put: Put): boolean {
  if (!isUnchanged(put)) return false;
  const seenMsAgo = put.before?.seenMsAgo ?? null;
  // A look dated in the future is ignored: the clock was set back after it.
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

/** Whether our record is certain. A failure clears the fingerprint, so its presence means that none has happened since. */
export const isCertain = ({ written, fingerprint }: Written): boolean => written && fingerprint !== null;

const isUnchanged = ({ before, fingerprint }: Pick<Put, 'before' | 'fingerprint'>): boolean =>
  before?.written === true && before.fingerprint?.equals(fingerprint) === true;
