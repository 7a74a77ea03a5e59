/** Names of what the module keeps in Redis. The prefix is a hash tag: all keys lie in one slot of a cluster. */
export interface Keys {
  readonly prefix: string;
  /** Hash: association id → what is asked for (see pending.ts). */
  readonly pending: string;
  /** Sorted set: pending entries that nobody seems to need, by the time of the first doubt. */
  readonly doubted: string;
  /** Set: has a member while the queues are paused, for autoscalers, which cannot read BullMQ's own flag. */
  readonly paused: string;
  /** Channel on which the end of an association's operation is announced. */
  channel(id: string): string;
  /** BullMQ's keys of a type's queue begin with this. */
  jobs(type: string): string;
  /** Where BullMQ keeps the job that follows the active one of an association. */
  successor(type: string, id: string): string;
}

export const usualPrefix = '{keyferry}';

export const queueName = (type: string): string => `sync-${type}`;

export function keysBelow(prefix: string): Keys {
  return {
    prefix,
    pending: `${prefix}:pending`,
    doubted: `${prefix}:doubted`,
    paused: `${prefix}:paused`,
    channel: (id) => `${prefix}:settled:${id}`,
    jobs: (type) => `${prefix}:${queueName(type)}:`,
    successor: (type, id) => `${prefix}:${queueName(type)}:dn:${id}`,
  };
}
