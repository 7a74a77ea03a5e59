import { describe, expect, test } from 'vitest';
import { loadFacts } from '#destinations/load.ts';
import { countCalls } from '#infra/bench/calls/count.ts';
import { shapes } from '#infra/bench/calls/operations.ts';
import { statuses } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();

describe.each(everyType)('%s', (type) => {
  test.each(shapes)('makes exactly the documented number of calls for a secret of %s', async (shape) => {
    const counts = await countCalls(
      {
        type,
        destination: service.fake(type).destination,
        write: (path, body) => service.api.write(path, body),
        settled: () => service.untilQuiet(),
        calls: () => service.calls(type),
      },
      shape,
    );
    expect(counts).toEqual((await loadFacts(type)).calls[shape]);
    const left = await service.associations(type, `calls-${shape.replace(' ', '-')}`);
    expect(statuses(left).every((status) => status === 'SYNCED')).toBe(true);
    expect(left.length).toBe(shape === 'ten keys' ? 20 : 2);
  });
});
