import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { runUntilSignal } from '../process/run.ts';
import { optionsOf } from '../show/options.ts';

optionsOf('fakes', {});

/** `npm run fakes`: the stand-ins alone, each with a request body for its destination. */
await runUntilSignal(async () => {
  const fakes: Fake[] = [];
  for (const { type } of definitions) {
    const fake = await (await loadFake(type))();
    fakes.push(fake);
    process.stdout.write(`\n${type} at ${fake.url}\nPOST /v1/sys/sync/destinations/${type}/local\n`);
    process.stdout.write(`${JSON.stringify(fake.destination, undefined, 2)}\n`);
  }
  process.stdout.write('\nready; Ctrl-C ends them\n');
  return {
    async close() {
      await Promise.all(fakes.map((fake) => fake.close()));
    },
  };
});
