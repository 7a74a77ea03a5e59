import { invalidAttribute } from '#path/jsonapi/error.ts';
import { timeText } from '#path/jsonapi/resource.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';
import { latest } from './engine-version.ts';
import { changedExecution } from './execution.ts';
import type { SentWorkspace } from './fields.ts';
import { plainNames, type Settings, settingsOf } from './settings.ts';
import { changedConnection, connected } from './vcs-repo.ts';

/** The columns of a workspace that a request can change. */
export type Columns = Pick<
  WorkspaceRow,
  'name' | 'settings' | 'execution_mode' | 'agent_pool_id' | 'engine_version' | 'global_remote_state' | 'oauth_token_id'
>;

/** The columns of a new workspace before the request is applied. */
export const newColumns: Columns = {
  name: '',
  settings: {},
  execution_mode: null,
  agent_pool_id: null,
  engine_version: latest,
  global_remote_state: false,
  oauth_token_id: null,
};

/**
 * The columns after a request. Attributes that were not sent keep their values.
 *
 * @throws ApiError 422 for settings that contradict each other
 */
export function changedColumns(current: Columns, sent: SentWorkspace): Columns {
  const settings = settingsOf(current.settings);
  const { oauth_token_id: token } = current;
  const { repo, oauth_token_id } = changedConnection(
    { repo: connected({ repo: settings['vcs-repo'], oauth_token_id: token }), oauth_token_id: token },
    sent['vcs-repo'],
  );
  const next = changedSettings({ ...settings, 'vcs-repo': repo }, sent);
  const columns = {
    ...changedExecution(current, sent),
    name: sent.name ?? current.name,
    settings: { ...next },
    oauth_token_id,
    engine_version: sent['engine-version'] ?? current.engine_version,
    global_remote_state: sent['global-remote-state'] ?? current.global_remote_state,
  };
  mustAgree(next, columns.global_remote_state);
  return columns;
}

function changedSettings(settings: Settings, sent: SentWorkspace): Settings {
  const plain = Object.fromEntries(
    plainNames.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
  const at = sent['auto-destroy-at'];
  return {
    ...settings,
    ...plain,
    ...(at === undefined ? {} : { 'auto-destroy-at': timeText(at) }),
    ...runTriggers(sent),
    ...fileTriggers(sent),
  };
}

/**
 * Patterns, prefixes and tags are three alternative run triggers. Clients send the new one without clearing the old one, so the new
 * one replaces it.
 */
function runTriggers(sent: SentWorkspace): Partial<Settings> {
  const { 'trigger-patterns': patterns, 'trigger-prefixes': prefixes } = sent;
  const isByTag = Boolean(sent['vcs-repo']?.['tags-regex']);
  const clearsPatterns = patterns === null || (patterns === undefined && (isByTag || isFilled(prefixes)));
  const clearsPrefixes = prefixes === null || (prefixes === undefined && (isByTag || isFilled(patterns)));
  return {
    ...(clearsPatterns ? { 'trigger-patterns': [] } : {}),
    ...(clearsPrefixes ? { 'trigger-prefixes': [] } : {}),
  };
}

const isFilled = (list: readonly string[] | null | undefined): boolean => (list ?? []).length > 0;

/** Setting a tags regex disables file triggers unless the request sets them. */
function fileTriggers(sent: SentWorkspace): Partial<Settings> {
  const isByTag = Boolean(sent['vcs-repo']?.['tags-regex']);
  if (isByTag && sent['file-triggers-enabled'] === true)
    throw invalidAttribute('vcs-repo/tags-regex', 'Tags regex cannot be used when file triggers are enabled');
  return isByTag ? { 'file-triggers-enabled': false } : {};
}

/** Rules between settings, checked whichever of them was sent. */
function mustAgree(settings: Settings, globalRemoteState: boolean): void {
  const patterns = settings['trigger-patterns'].length > 0;
  const prefixes = settings['trigger-prefixes'].length > 0;
  const tagsRegex = settings['vcs-repo']?.['tags-regex'] ?? null;
  if (patterns && prefixes)
    throw invalidAttribute('trigger-patterns', 'Trigger patterns and trigger prefixes cannot be used together');
  if (tagsRegex !== null && patterns)
    throw invalidAttribute('vcs-repo/tags-regex', 'Tags regex and trigger patterns cannot be used together');
  if (tagsRegex !== null && prefixes)
    throw invalidAttribute('vcs-repo/tags-regex', 'Tags regex and trigger prefixes cannot be used together');
  if (tagsRegex !== null && settings['file-triggers-enabled'])
    throw invalidAttribute('file-triggers-enabled', 'Tags regex cannot be used when file triggers are enabled');
  if (globalRemoteState && settings['project-remote-state'])
    throw invalidAttribute(
      'project-remote-state',
      'Project remote state cannot be enabled when global remote state sharing is enabled',
    );
}
