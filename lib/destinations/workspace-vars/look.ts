import { coalesce } from '../../core/concurrency/coalesce.ts';
import { DestinationFailure, type Inspection } from '../contract.ts';
import { untilAborted } from '../frame/verb/request-time.ts';
import type { Client } from './client.ts';
import type { VariableRecord } from './record.ts';
import { isOfSetting, type Setting } from './setting.ts';

export type List = (signal: AbortSignal) => Promise<readonly VariableRecord[]>;

/** Callers that share one listing, and listings in flight at once. */
const listing = { batchSizeMax: 1000, batchesMax: 2 };

/** All variables of the target. Callers share a listing; it goes on for the others when one of them leaves. */
export function openList(client: Client): List {
  const sharedList = coalesce<undefined, readonly VariableRecord[]>(async (callers) => {
    const records = await client.list();
    return callers.map(() => records);
  }, listing);
  return async (signal) => {
    signal.throwIfAborted();
    return untilAborted(sharedList(undefined), signal);
  };
}

/** `inspect` of a driver. */
export async function look(
  list: List,
  setting: Setting,
  name: string,
  signal: AbortSignal,
): Promise<Inspection | undefined | 'unknown'> {
  const records = await list(signal).catch(unknownIfForbidden);
  if (records === 'unknown') return records;
  const present = records.filter((record) => record.name === name && record.category === setting.category);
  const [record] = present;
  return record && { remoteVersion: record.version, mark: record.mark, differs: !isOfSetting(record, setting) };
}

function unknownIfForbidden(error: unknown): 'unknown' {
  if (error instanceof DestinationFailure && error.kind === 'permission') return 'unknown';
  throw error;
}
