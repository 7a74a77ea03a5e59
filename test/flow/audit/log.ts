import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { uuid } from '#core/ids.ts';
import type { OpenService } from '../../support/flow/open-service.ts';

/** One line of an audit log. */
export interface Line {
  readonly time: string;
  readonly type: 'request' | 'response';
  readonly auth: Readonly<Record<string, unknown>>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export const newLogPath = (): string => join(inject('scratchFolder'), `${uuid()}.log`);

export const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** All lines of a log; throws when the last one is incomplete. */
export async function linesOf(path: string): Promise<readonly Line[]> {
  const text = await textOf(path);
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is incomplete');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** Enables a file device under a new path and returns its path and its file. */
export async function fileDevice(
  service: OpenService,
  options: Readonly<Record<string, string>> = {},
): Promise<{ readonly device: string; readonly file: string }> {
  const [device, file] = [service.name('log'), newLogPath()];
  const body = { type: 'file', options: { file_path: file, ...options } };
  const { status, text } = await service.ask('POST', `sys/audit/${device}`, body);
  if (status !== 204) throw new Error(`${status} ${text}`);
  return { device, file };
}

export const disable = (service: OpenService, device: string) => service.ask('DELETE', `sys/audit/${device}`);

/** Removes all devices in the database, as an operator does when no device can record the request to remove them. */
export async function removeDevices({ store: { db } }: OpenService): Promise<void> {
  await db.deleteFrom('audit_devices').execute();
  await sql`update revisions set revision = revision + 1 where name = 'audit'`.execute(db);
}
