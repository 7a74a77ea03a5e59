import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { loadFacts, loadFake } from '#destinations/load.ts';
import { LimitedCalls } from '../measure/limited.ts';
import { serveParent } from './parent.ts';

/** For how many seconds each limit is measured, in whole windows; absent: no limit. */
const parameters = z.object({ limitedSeconds: z.record(z.string(), z.number()).default({}) });

/** The stand-ins of all types, in a separate process so that their memory is not measured. */
await serveParent(parameters, async ({ limitedSeconds }) => {
  const fakes = await Promise.all(
    definitions.map(async ({ type }) => {
      const [startFake, { enforced }] = await Promise.all([loadFake(type), loadFacts(type)]);
      const fake = await startFake();
      const seconds = limitedSeconds[type];
      const limited = seconds === undefined ? undefined : new LimitedCalls(enforced, seconds);
      if (limited !== undefined) fake.limit(limited.admit);
      return { type, fake, limited };
    }),
  );
  const calls = (): number =>
    fakes.reduce((sum, { fake }) => sum + [...fake.calls().values()].reduce((all, count) => all + count, 0), 0);
  const limits = () =>
    fakes.flatMap(({ type, limited }) => (limited === undefined ? [] : { type, ...limited.counts() }));
  return {
    ready: { destinations: fakes.map(({ type, fake }) => ({ type, body: fake.destination })) },
    answer: async () => ({ calls: calls(), limits: limits() }),
    close: async () => {
      await Promise.all(fakes.map(({ fake }) => fake.close()));
    },
  };
});
