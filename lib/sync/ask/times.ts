import type { DriverParts } from '../drivers/drivers.ts';

/** The parts with shorter deadlines, so that several calls fit into the time of an answer. Milliseconds. */
export const withinTimes = <P extends Pick<DriverParts, 'timeouts'>>(parts: P, most: DriverParts['timeouts']): P => ({
  ...parts,
  timeouts: {
    connectMs: Math.min(parts.timeouts.connectMs, most.connectMs),
    requestMs: Math.min(parts.timeouts.requestMs, most.requestMs),
  },
});
