import type { DestinationFailure, FailureKind } from '../../destinations/contract.ts';

/**
 * After these nobody knows what becomes of the call. `unavailable` is among them: a gateway that gives up says so, and the
 * server behind it may go on.
 */
const unseen: ReadonlySet<FailureKind> = new Set<FailureKind>(['timeout', 'network', 'unavailable', 'internal']);

/** Whether a put or a removal that failed in this way may still be applied. */
export const isUnconfirmed = ({ kind, untouched }: DestinationFailure): boolean => unseen.has(kind) && !untouched;
