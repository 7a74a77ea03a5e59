import { describe, expect, test } from 'vitest';
import { countCalls } from '../../../infra/bench/calls/count.ts';
import { shapes } from '../../../infra/bench/calls/operations.ts';
import { loadFacts } from '../../../lib/destinations/load.ts';
import { statuses } from '../../support/flow/associations.ts';
import { everyType, stageOf } from '../../support/flow/open-service.ts';

const stage = stageOf();

describe.each(everyType)('%s', (type) => {
  test.each(shapes)('makes as many calls as its facts say for a secret of %s', async (shape) => {
    const counts = await countCalls(
      {
        type,
        destination: stage.fake(type).destination,
        write: (path, body) => stage.api.write(path, body),
        settled: () => stage.untilQuiet(),
        calls: () => stage.calls(type),
      },
      shape,
    );
    expect(counts).toEqual((await loadFacts(type)).calls[shape]);
    const left = await stage.associations(type, `calls-${shape.replace(' ', '-')}`);
    expect(statuses(left).every((status) => status === 'SYNCED')).toBe(true);
    expect(left.length).toBe(shape === 'ten keys' ? 20 : 2);
  });
});
