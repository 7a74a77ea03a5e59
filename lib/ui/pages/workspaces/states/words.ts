import type { Look } from '#ui/parts/words.ts';
import type { Item } from '../document/items.ts';

const looks: Readonly<Record<string, Look>> = {
  pending: { word: 'Waits for its file', tone: 'wait', icon: 'clock' },
  finalized: { word: 'Complete', tone: 'off', icon: 'check' },
  discarded: { word: 'Discarded', tone: 'off', icon: 'dash' },
  backing_data_soft_deleted: { word: 'Its file is deleted', tone: 'warn', icon: 'minus' },
  backing_data_permanently_deleted: { word: 'Its file is deleted for good', tone: 'fail', icon: 'minus' },
};

export const stateLook = (status: string): Look => looks[status] ?? { word: status, tone: 'off', icon: 'question' };

const units = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });

/** A size in kilobytes; nothing before its file is there. */
export const sizeWord = (version: Item): string =>
  version.text('size') === '' ? '' : units.format(version.number('size') / 1_000);
