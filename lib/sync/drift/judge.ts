import type { DestinationDefinition, Inspection, Listed } from '#destinations/contract.ts';
import { isSameObject, isSameVersion } from '#destinations/frame/rules/found.ts';
import type { DriftKind } from '../model/drift.ts';

/** An object as the record says that our last push left it. */
export interface Recorded {
  readonly mark: string;
  readonly remoteVersion: string | null;
  readonly writtenAt: Date;
}

type Rules = Pick<DestinationDefinition, 'markless' | 'isSameVersion' | 'isSameObject' | 'listing'>;
type Tags = Readonly<Record<string, string>>;

/**
 * How an object differs from the record; undefined when it does not.
 *
 * @param tags all that it should have
 * @param seen by a look; undefined when there is no such object
 */
export function judgeDrift(
  rules: Rules,
  recorded: Recorded,
  tags: Tags,
  seen: Inspection | undefined,
): DriftKind | undefined {
  if (seen === undefined) return 'deleted';
  const isSame = isSameObject(rules, recorded.remoteVersion, seen.remoteVersion);
  if (rules.markless !== true && seen.mark !== recorded.mark && (seen.mark !== null || !isSame)) return 'foreign';
  if (!isSameVersion(rules, recorded.remoteVersion, seen.remoteVersion) || seen.differs === true) return 'changed';
  const isUnmarked = rules.markless !== true && seen.mark === null;
  return isUnmarked || hasOtherTags(tags, seen.tags) ? 'tags' : undefined;
}

const hasOtherTags = (wanted: Tags, there: Tags | undefined): boolean =>
  there !== undefined && Object.entries(wanted).some(([key, value]) => there[key] !== value);

/** The provider's clock, and its unit of time: a change within this time after ours is taken for ours. */
const toleranceMs = 5_000;

/**
 * Whether a page of a list shows the object as we left it. If not, only a look decides: a list may be minutes old. Where it shows
 * times in place of versions, a change soon after ours goes unnoticed.
 */
export function isInLine(rules: Rules, recorded: Recorded, tags: Tags, listed: Listed): boolean {
  if (rules.listing === 'versions') return judgeDrift(rules, recorded, tags, listed) === undefined;
  if (rules.listing !== 'times' || listed.changedAt === null) return false;
  const isLater = listed.changedAt.getTime() > recorded.writtenAt.getTime() + toleranceMs;
  return !isLater && listed.mark === recorded.mark && !hasOtherTags(tags, listed.tags);
}
