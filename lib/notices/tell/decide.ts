import type { GateState } from '#queue/contract.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { syncToldTable } from '#store/tables/notices.ts';

/** What was last told of a destination. */
export type Told = RowOf<typeof toldColumns>;

export const toldColumns = pick(
  syncToldTable,
  'failing_since',
  'counted_at',
  'failed',
  'kinds',
  'circuit_open',
  'circuit_told_at',
  'throttled',
  'throttled_told_at',
);

export const nothingTold: Told = {
  failing_since: null,
  counted_at: null,
  failed: 0,
  kinds: [],
  circuit_open: false,
  circuit_told_at: null,
  throttled: false,
  throttled_told_at: null,
};

/** How a destination is now. */
export interface Present {
  /** Some of its syncs have failed for good. */
  readonly failing: boolean;
  /** Some of its syncs have an error, for good or not: those that are queued again keep theirs until an attempt succeeds. */
  readonly troubled: boolean;
  /** Undefined while Redis is unavailable. */
  readonly gate: Pick<GateState, 'circuit' | 'openedBy' | 'throttledSince'> | undefined;
}

/** Syncs that fail within this time of the first are told together, in milliseconds. */
export const groupMs = 3_000;
/** A destination is told as failing, as out of reach, and as throttled, at most once in this time, in milliseconds. */
export const againMs = 300_000;

/**
 * - `note`: failed syncs were seen for the first time, and are told a little later, with those that follow.
 * - `count`: it is time to count the failed syncs, and to tell them if there is news.
 * - `recover`: none of the syncs that were told has an error any longer.
 * - `drop`: the failed syncs recovered before they were told.
 */
export type Failing = 'nothing' | 'note' | 'count' | 'recover' | 'drop';

/**
 * What to tell of the syncs of a destination. In order → noted → failing → in order. A destination that fails again soon after it has
 * recovered is told after `againMs`, if it still fails then.
 */
export function decideFailing(told: Told, { failing, troubled }: Present, nowMs: number): Failing {
  const isQuiet = !isOld(told.counted_at, nowMs);
  if (told.failed > 0) {
    if (!troubled) return 'recover';
    return failing && !isQuiet ? 'count' : 'nothing';
  }
  if (!failing) return told.failing_since === null ? 'nothing' : 'drop';
  if (told.failing_since === null) return 'note';
  return nowMs - told.failing_since.getTime() >= groupMs && !isQuiet ? 'count' : 'nothing';
}

/**
 * Whether a count of failed syncs is worth another event, and what is told of them then. A number that has fallen to half of what was told,
 * and a kind that no sync has any longer, are forgotten without an event, so that they are news when they come back. A number that falls
 * by less is kept: one that swings a little is told once.
 */
export function decideCounted(told: Told, failed: number, kinds: readonly string[]) {
  const isNews = failed > told.failed || kinds.some((kind) => !told.kinds.includes(kind));
  const isLess = failed <= told.failed / 2;
  return { isNews, failed: isNews || isLess ? failed : told.failed, kinds };
}

/** A circuit that lets one operation probe is still told to be open. One that throttling opened is told as throttled, if it lasts. */
export function decideCircuit(told: Told, { gate }: Present, nowMs: number): 'nothing' | 'opened' | 'closed' {
  if (told.circuit_open) return gate?.circuit === 'closed' ? 'closed' : 'nothing';
  const isOpen = gate?.circuit === 'open' && gate.openedBy !== 'throttling';
  return isOpen && isOld(told.circuit_told_at, nowMs) ? 'opened' : 'nothing';
}

export function decideThrottled(told: Told, { gate }: Present, nowMs: number): 'nothing' | 'throttled' | 'unthrottled' {
  if (gate === undefined) return 'nothing';
  if (told.throttled) return gate.throttledSince === undefined ? 'unthrottled' : 'nothing';
  return gate.throttledSince !== undefined && isOld(told.throttled_told_at, nowMs) ? 'throttled' : 'nothing';
}

const isOld = (time: Date | null, nowMs: number): boolean => time === null || nowMs - time.getTime() >= againMs;

/** Whether the row says nothing any longer. */
export const isIdle = (told: Told, nowMs: number): boolean =>
  told.failing_since === null &&
  told.failed === 0 &&
  !told.circuit_open &&
  !told.throttled &&
  [told.counted_at, told.circuit_told_at, told.throttled_told_at].every((time) => isOld(time, nowMs));
