import type { VcsRepo } from './vcs-repo.ts';

/** Settings of a workspace without a column, by their API names. Absent ones have their default. */
export interface Settings {
  readonly 'allow-destroy-plan': boolean;
  readonly 'assessments-enabled': boolean;
  readonly 'auto-apply': boolean;
  readonly 'auto-apply-run-trigger': boolean;
  readonly 'auto-destroy-activity-duration': string | null;
  /** RFC 3339, UTC with milliseconds. */
  readonly 'auto-destroy-at': string | null;
  readonly description: string | null;
  readonly 'file-triggers-enabled': boolean;
  /** False ignores the setting of the project. */
  readonly 'inherits-project-auto-destroy': boolean;
  readonly 'migration-environment': string | null;
  readonly 'project-remote-state': boolean;
  readonly 'queue-all-runs': boolean;
  readonly source: string;
  readonly 'source-name': string | null;
  readonly 'source-url': string | null;
  readonly 'speculative-enabled': boolean;
  readonly 'structured-run-output-enabled': boolean;
  readonly 'trigger-patterns': readonly string[];
  readonly 'trigger-prefixes': readonly string[];
  readonly 'vcs-repo': VcsRepo | null;
  readonly 'working-directory': string | null;
}

const defaults: Settings = {
  'allow-destroy-plan': true,
  'assessments-enabled': false,
  'auto-apply': false,
  'auto-apply-run-trigger': false,
  'auto-destroy-activity-duration': null,
  'auto-destroy-at': null,
  description: null,
  'file-triggers-enabled': true,
  'inherits-project-auto-destroy': true,
  'migration-environment': null,
  'project-remote-state': false,
  'queue-all-runs': false,
  source: 'tfe-api',
  'source-name': null,
  'source-url': null,
  'speculative-enabled': true,
  'structured-run-output-enabled': true,
  'trigger-patterns': [],
  'trigger-prefixes': [],
  'vcs-repo': null,
  'working-directory': null,
};

/** Stored settings, completed with the defaults. */
export const settingsOf = (stored: Readonly<Record<string, unknown>>): Settings => ({ ...defaults, ...stored });

/** The settings that are stored as sent. */
export const plainNames = [
  ...(['allow-destroy-plan', 'assessments-enabled', 'auto-apply', 'auto-apply-run-trigger'] as const),
  ...(['auto-destroy-activity-duration', 'description', 'file-triggers-enabled'] as const),
  ...(['inherits-project-auto-destroy', 'migration-environment', 'project-remote-state', 'queue-all-runs'] as const),
  ...(['source-name', 'source-url', 'speculative-enabled', 'structured-run-output-enabled'] as const),
  ...(['trigger-patterns', 'trigger-prefixes', 'working-directory'] as const),
];
