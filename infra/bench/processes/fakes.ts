import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { serveParent } from './parent.ts';

/** The stand-ins of all types, in a separate process so that their memory is not measured. */
await serveParent(z.object({}), async () => {
  const fakes = await Promise.all(
    definitions.map(async ({ type }) => ({ type, fake: await (await loadFake(type))() })),
  );
  const calls = (): number =>
    fakes.reduce((sum, { fake }) => sum + [...fake.calls().values()].reduce((all, count) => all + count, 0), 0);
  return {
    ready: { destinations: fakes.map(({ type, fake }) => ({ type, body: fake.destination })) },
    answer: async () => ({ calls: calls() }),
    close: async () => {
      await Promise.all(fakes.map(({ fake }) => fake.close()));
    },
  };
});
