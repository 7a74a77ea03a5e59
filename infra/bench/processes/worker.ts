import { z } from 'zod';
import { openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import type { OpenDriver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { serveParent } from './parent.ts';

/** Marked values that arrived, with the time by the clock of the machine. */
const seen: [string, number][] = [];
let puts = 0;

/** A destination that accepts everything at once and keeps nothing. */
const openStandIn: OpenDriver = () => ({
  async put({ value }) {
    puts += 1;
    const mark = /^arrival-\d+$/.exec(value.reveal())?.[0];
    if (mark !== undefined) seen.push([mark, performance.timeOrigin + performance.now()]);
    return { remoteVersion: null };
  },
  async remove() {},
  inspect: async () => undefined,
  check: async () => [],
  async close() {},
});

const parameters = z.object({ type: z.string(), driver: z.enum(['stand-in', 'real']) });

/** A worker of one type with an effectively unlimited gate, with a driver that takes no time or with the real one. */
await serveParent(parameters, async ({ type, driver }) => {
  const config = readConfig();
  const known = definitions.find((definition) => definition.type === type);
  if (known === undefined) throw new Error(`no destination type ${type}`);
  const openDriver = driver === 'real' ? await loadDriver(type) : openStandIn;
  const definition = { ...known, rate: { callsPerSecond: 1_000_000, burst: 1_000_000 }, concurrencyMax: 1_000 };
  const workers = await openWorkers({ config, log: openLog(config) }, [{ definition, openDriver }]);
  return { ready: {}, answer: async () => ({ puts, seen: seen.splice(0) }), close: workers.close };
});
