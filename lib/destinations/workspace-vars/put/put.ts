import { DestinationFailure, type FailureKind, type PutItem, type PutReceipt } from '../../contract.ts';
import type { List } from '../../frame/listing.ts';
import { foreignObject } from '../../frame/rules/found.ts';
import type { WriteTracker } from '../../frame/verb/verb.ts';
import type { Client } from '../client/client.ts';
import { notAllowed } from '../failure.ts';
import { idOfVersion, type VariableRecord } from '../fields/record.ts';
import type { Target } from '../fields/target.ts';
import { plan } from './plan.ts';
import { type Setting, variableOf } from './setting.ts';

export interface Parts {
  readonly client: Client;
  readonly list: List<VariableRecord>;
  readonly target: Target;
  readonly setting: Setting;
}

/** `tracker` follows what the calls change. */
export type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

/** Looks of one put; after each of them another client may write before us. */
const looksMax = 3;

/**
 * Gives a variable its value. Where the record is certain, the write goes out first: a creation, which never overwrites, or an edit
 * of our variable by its id. A look follows if the answer gives reason for one, and comes first where the record is uncertain.
 */
export const openPut =
  (parts: Parts): Put =>
  async (item, tracker, signal) => {
    const { client, list, setting, target } = parts;
    const variable = variableOf(item, setting);
    const create = () => tracker.write(() => client.create(variable, signal));
    const edit = (id: string) => tracker.write(() => client.edit(id, variable, signal));
    // Edits that the host answered with 404: the variable does not exist, or the token may not change it.
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

/** Resolves to undefined for a failure of this kind, after which the caller looks. */
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
    `${text} refuses the name as taken but lists no such variable, or another client keeps changing it`,
  );
