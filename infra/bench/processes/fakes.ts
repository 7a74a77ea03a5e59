import { z } from 'zod';
import { definitions } from '../../../lib/destinations/index.ts';
import { loadFake } from '../../../lib/destinations/load.ts';
import { serveParent } from './parent.ts';

/** The stand-ins of all types, so that what they keep is not in a process that is measured. */
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
