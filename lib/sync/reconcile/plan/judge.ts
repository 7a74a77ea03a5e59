import type { DestinationDefinition, Inspection } from '#destinations/contract.ts';
import { isSameVersion } from '#destinations/frame/rules/found.ts';
import type { Written } from '../../model/written.ts';
import type { Put } from './plan.ts';
import type { Judgement } from './planned.ts';

/** What a look found: undefined when there is no such object, `unknown` when we may not look, `unlooked` when the time was over. */
export type Seen = Inspection | undefined | 'unknown' | 'unlooked';

type Rules = Pick<DestinationDefinition, 'markless' | 'isSameVersion'>;

/** What a sync would do with an object that should exist. `tags`: all that it should have. */
export function judgePut(rules: Rules, put: Put, mark: string, tags: Inspection['tags'], seen: Seen): Judgement {
  const isWritten = put.before?.written === true;
  if (seen === 'unknown' || seen === 'unlooked') return byRecord(put, isWritten);
  if (seen === undefined) return { action: 'create', reason: isWritten ? 'missing' : 'new' };
  if (!isOurs(rules, put.before, mark, seen))
    return put.mode === 'adopt' ? { action: 'update', reason: 'adopted' } : { action: 'refuse', reason: 'foreign' };
  if (!put.verify) return { action: 'update', reason: 'changed' };
  if (!isSameVersion(rules, put.before?.remoteVersion ?? null, seen.remoteVersion))
    return { action: 'update', reason: 'changed-there' };
  if (seen.differs === true) return { action: 'update', reason: 'settings' };
  if (isUnmarked(rules, seen, mark) || hasOtherTags(put, tags, seen)) return { action: 'update', reason: 'tags' };
  return { action: 'leave', reason: 'in-line' };
}

function byRecord(put: Put, isWritten: boolean): Judgement {
  if (!isWritten) return { action: 'create', reason: 'new' };
  return put.verify ? { action: 'leave', reason: 'in-line' } : { action: 'update', reason: 'changed' };
}

const isUnmarked = ({ markless }: Rules, seen: Inspection, mark: string) => markless !== true && seen.mark !== mark;

function hasOtherTags(put: Put, wanted: Inspection['tags'] = {}, { tags: there }: Inspection): boolean {
  if (there === undefined) return false;
  return (
    Object.entries(wanted).some(([key, value]) => there[key] !== value) || put.staleTags.some((key) => key in there)
  );
}

/** What a sync would do with an object that should not exist. Undefined: it was never written, and is not there. */
export function judgeRemoval(rules: Rules, object: Written, seen: Seen): Judgement | undefined {
  if (seen === undefined) return object.written ? { action: 'leave', reason: 'already-gone' } : undefined;
  if (typeof seen === 'object' && !isOurs(rules, object, object.mark, seen))
    return { action: 'leave', reason: 'foreign' };
  return { action: 'delete', reason: 'not-wanted' };
}

/** By its mark or, where the mark was removed, by its version. A system without marks leaves it to the record. */
function isOurs(rules: Rules, before: Written | undefined, mark: string, { mark: found, remoteVersion }: Inspection) {
  if (rules.markless === true) return before !== undefined;
  if (found !== null) return found === mark;
  const recorded = before?.remoteVersion ?? null;
  return recorded !== null && isSameVersion(rules, recorded, remoteVersion);
}
