import { z } from 'zod';
import { openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import type { OpenDriver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { serveParent } from './parent.ts';

/** A worker of one type, with destinations that keep the last value of every name and answer at once. */
await serveParent(z.object({ type: z.string(), newest: z.string() }), async ({ type, newest }) => {
  const config = readConfig();
  const known = definitions.find((definition) => definition.type === type);
  if (known === undefined) throw new Error(`no destination type ${type}`);
  const kept = new Map<string, boolean>();
  let calls = 0;
  const openDriver: OpenDriver = () => ({
    // The mark identifies one object of one association, whatever the destination and driver.
    async put({ mark, value }) {
      calls += 1;
      kept.set(mark, value.reveal().includes(newest));
      return { remoteVersion: null };
    },
    async remove() {},
    inspect: async () => undefined,
    check: async () => [],
    async close() {},
  });
  const definition = { ...known, rate: { callsPerSecond: 1_000_000, burst: 1_000_000 }, concurrencyMax: 1_000 };
  const workers = await openWorkers({ config, log: openLog(config) }, [{ definition, openDriver }]);
  const answer = async () => {
    const old = [...kept.values()].filter((isNewest) => !isNewest).length;
    return { calls, objects: kept.size, old, rss: process.memoryUsage.rss() };
  };
  return { ready: {}, answer, close: workers.close };
});
