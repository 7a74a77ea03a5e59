/** What the page has a batch do with records. */
export type BatchAction = 'replay' | 'force' | 'remove';

interface ActionWords {
  readonly title: string;
  readonly verb: string;
  /** What becomes of the records. */
  readonly effect: string;
  /** Instead of numbers, when no record is concerned. */
  readonly nothing: string;
  readonly isDanger: boolean;
}

const noMatch = 'No record matches any more.';

export const actionWords: Readonly<Record<BatchAction, ActionWords>> = {
  replay: {
    title: 'Replay',
    verb: 'Replay',
    effect: 'They are synced again. Copies that are in line are looked at and stay as they are.',
    nothing: 'No record that matches the filters needs a replay. Without a status, only failed ones count.',
    isDanger: false,
  },
  force: {
    title: 'Push again',
    verb: 'Push',
    effect: 'They are pushed again, also where the copy looks unchanged.',
    nothing: noMatch,
    isDanger: false,
  },
  remove: {
    title: 'Remove the copies',
    verb: 'Remove',
    effect:
      'The secrets are no longer sent there, and their copies at the destinations are removed. The secrets themselves stay.',
    nothing: noMatch,
    isDanger: true,
  },
};
