import { DestinationFailure, type FailureKind, type PutItem, type PutReceipt } from '../contract.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
import type { WriteTracker } from '../frame/verb/verb.ts';
import type { Client } from './client.ts';
import { notAllowed } from './failure.ts';
import type { List } from './look.ts';
import { plan } from './plan.ts';
import { idOfVersion, type VariableRecord } from './record.ts';
import { type Setting, variableOf } from './setting.ts';
import type { Target } from './target.ts';

export interface Parts {
  readonly client: Client;
  readonly list: List;
  readonly target: Target;
  readonly setting: Setting;
}

/** `tracker` follows what the calls change. */
export type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

/** Looks of one put, after each of which somebody may be faster than our write. */
const looksMax = 3;

/**
 * Gives a variable its value. Where the record leaves no doubt the write goes out first: a creation, which never overwrites, or
 * an edit of what we wrote by its id. A look follows where the answer gives reason for one, and comes first where there is doubt.
 */
export const openPut =
  (parts: Parts): Put =>
  async (item, tracker, signal) => {
    const { client, list, setting, target } = parts;
    const variable = variableOf(item, setting);
    const create = () => tracker.write(() => client.create(variable, signal));
    const edit = (id: string) => tracker.write(() => client.edit(id, variable, signal));
    // Edits that the host answered with 404: nothing has the id, or the token may not change it.
    const denied = new Set<string>();
    const known = item.mode === 'create' ? undefined : idOfVersion(item.remoteVersion);

    async function straight(): Promise<VariableRecord | undefined> {
      if (!item.asRecorded) return undefined;
      if (item.mode === 'create') return unless('conflict', create());
      return known === undefined ? undefined : editOrDeny(known);
    }

    function editOrDeny(id: string): Promise<VariableRecord | undefined> {
      return unless(
        'conflict',
        unless('missing', edit(id), () => denied.add(id)),
      );
    }

    async function afterLook(): Promise<VariableRecord | undefined> {
      const decided = plan(item, setting.category, await list(signal));
      if (decided.kind === 'conflict') throw foreignObject(`a variable of this name in ${target.text}`);
      if (decided.kind === 'create') return unless('conflict', create());
      if (denied.has(decided.id)) throw notAllowed(target);
      const record = await editOrDeny(decided.id);
      if (record !== undefined) for (const id of decided.leftover) await tracker.write(() => client.remove(id, signal));
      return record;
    }

    let record = await straight();
    for (let looks = 0; record === undefined && looks < looksMax; looks += 1) record = await afterLook();
    if (record === undefined) throw changing(target);
    return { remoteVersion: record.version };
  };

/** Undefined for a failure of this kind, after which a look tells more. */
async function unless<T>(kind: FailureKind, call: Promise<T>, note: () => void = () => {}): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof DestinationFailure && error.kind === kind)) throw error;
    note();
    return undefined;
  }
}

const changing = ({ text }: Target): DestinationFailure =>
  new DestinationFailure(
    'conflict',
    `${text} refuses the name as taken and shows no such variable, or somebody else changes it all the time`,
  );
