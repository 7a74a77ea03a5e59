/**
 * How an object at the destination differs from what the sync left: it is gone, was changed by another client, has other tags, or
 * another client's object has its name.
 */
export const driftKinds = ['deleted', 'changed', 'tags', 'foreign'] as const;
export type DriftKind = (typeof driftKinds)[number];

/** What a look does with drift: nothing but to show it, to queue a sync that repairs it, or there are no looks. */
export const driftActions = ['report', 'repair', 'off'] as const;
export type DriftAction = (typeof driftActions)[number];
