import type { Vocabulary } from '#path/contract/request.ts';
import { statusName } from '#path/vocabulary.ts';
import type { AssociationNumbers } from './counts.ts';

/** The numbers of associations as the overview and the reads of destinations show them. */
export const numbersView = ({ counts, errors, pendingSince, drifted }: AssociationNumbers, vocabulary: Vocabulary) => ({
  total: [...counts.values()].reduce((sum, count) => sum + count, 0),
  counts: Object.fromEntries([...counts].map(([status, count]) => [statusName(status, vocabulary), count])),
  errors: Object.fromEntries(errors),
  drifted,
  pending_since: pendingSince?.toISOString() ?? null,
});
