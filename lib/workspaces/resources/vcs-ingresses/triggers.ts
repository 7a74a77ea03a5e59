import type { Settings } from '../workspace-settings/settings.ts';
import type { VcsRepo } from '../workspace-settings/vcs-repo.ts';
import type { Announcement } from './announcement.ts';
import { matchesGlob } from './globs.ts';

/** What a workspace does with an announcement. */
export type Verdict =
  | { readonly takes: false }
  | {
      readonly takes: true;
      readonly speculative: boolean;
      /** Only if the branch turns out to be the default branch. */
      readonly onlyDefaultBranch: boolean;
      /** Only if one of its files changed. */
      readonly onlyChanged: boolean;
    };

const no: Verdict = { takes: false };

/**
 * Decides by the settings of a workspace. Tags count only where a regular expression for tags is set, which is matched elsewhere, and
 * branches only where it is not. Pull requests are planned for the branch that they are for.
 */
export function verdictOf(
  { kind, name, isDefaultBranch, isFork }: Announcement,
  repo: VcsRepo,
  settings: Settings,
): Verdict {
  const byTag = repo['tags-regex'] !== null;
  if (kind === 'tag')
    return byTag ? { takes: true, speculative: false, onlyDefaultBranch: false, onlyChanged: false } : no;
  if (kind === 'branch' && byTag) return no;
  if (kind === 'pull' && !settings['speculative-enabled']) return no;
  if (isFork && repo['ingress-forks'] !== true) return no;
  if (repo.branch !== '' && repo.branch !== name) return no;
  if (repo.branch === '' && isDefaultBranch === false) return no;
  return {
    takes: true,
    speculative: kind === 'pull',
    onlyDefaultBranch: repo.branch === '' && isDefaultBranch === undefined,
    onlyChanged: settings['file-triggers-enabled'] && hasFileTriggers(settings),
  };
}

const hasFileTriggers = (settings: Settings): boolean =>
  settings['trigger-patterns'].length > 0 ||
  settings['trigger-prefixes'].length > 0 ||
  folderOf(settings['working-directory']) !== '';

/**
 * Whether one of the changed files is a file of the workspace: it meets a pattern, or else is below the working directory or a prefix.
 */
export function isTriggered(paths: readonly string[], settings: Settings): boolean {
  const patterns = settings['trigger-patterns'];
  if (patterns.length > 0) return paths.some((path) => patterns.some((pattern) => matchesGlob(pattern, path)));
  const folders = [settings['working-directory'], ...settings['trigger-prefixes']].map(folderOf);
  return paths.some((path) => folders.some((folder) => folder !== '' && path.startsWith(`${folder}/`)));
}

const folderOf = (path: string | null): string =>
  (path ?? '')
    .replace(/^[./]*\//, '')
    .replace(/^\.$/, '')
    .replace(/\/+$/, '');
