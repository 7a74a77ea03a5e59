import type { IconName } from './icon.tsx';

/** How a status looks: never by its colour alone. */
export interface Look {
  readonly word: string;
  readonly tone: 'ok' | 'wait' | 'fail' | 'warn' | 'off';
  readonly icon: IconName;
}

const looks: Readonly<Record<string, Look>> = {
  SYNCED: { word: 'Synced', tone: 'ok', icon: 'done' },
  PENDING: { word: 'Pending', tone: 'wait', icon: 'clock' },
  UNSYNCED: { word: 'Removed', tone: 'off', icon: 'dash' },
  CLIENT_SIDE_ERROR: { word: 'Needs a change', tone: 'fail', icon: 'cross' },
  EXTERNAL_SERVICE_ERROR: { word: 'Destination failed', tone: 'warn', icon: 'cloud' },
  INTERNAL_ERROR: { word: 'Internal error', tone: 'fail', icon: 'alert' },
};

export const lookOf = (status: string): Look => looks[status] ?? { word: 'Unknown', tone: 'off', icon: 'question' };

export const statuses = Object.keys(looks);

export const failed: readonly string[] = ['CLIENT_SIDE_ERROR', 'EXTERNAL_SERVICE_ERROR', 'INTERNAL_ERROR'];

/** What went wrong, in words. */
const kinds: Readonly<Record<string, string>> = {
  credentials: 'Credentials refused',
  permission: 'Permission missing',
  missing: 'Something is missing there',
  name: 'Name not accepted',
  'too-large': 'Secret too large',
  conflict: 'Another object has the name',
  quota: 'Quota used up',
  invalid: 'Settings not accepted',
  blocked: 'Address not allowed',
  throttled: 'Throttled by the destination',
  unavailable: 'Destination unavailable',
  timeout: 'No reply in time',
  network: 'Network failure',
  internal: 'Internal error',
  changed: 'Changed since it was planned',
};

export const kindWord = (kind: string): string => kinds[kind] ?? kind;

export const errorKinds = Object.keys(kinds);

/** How an object differs from what the last sync left. */
const drifts: Readonly<Record<string, Look>> = {
  deleted: { word: 'Deleted there', tone: 'fail', icon: 'minus' },
  changed: { word: 'Changed there', tone: 'warn', icon: 'spin' },
  tags: { word: 'Tags differ', tone: 'warn', icon: 'alert' },
  foreign: { word: 'Another object', tone: 'fail', icon: 'cross' },
};

export const driftLook = (kind: string): Look => drifts[kind] ?? { word: kind, tone: 'off', icon: 'question' };
