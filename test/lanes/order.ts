import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of the system lane that take longest, longest first. One that begins last keeps a single worker busy at the end. */
export const longest: readonly string[] = [
  'test/workspaces/every-row/hostile.system.test.ts',
  'test/flow/bad-input/walk.system.test.ts',
  'test/upgrade/rolling.system.test.ts',
  'test/flow/faults/redis/redis.system.test.ts',
  'test/flow/faults/worker.system.test.ts',
  'test/infra/another-type/another-type.system.test.ts',
  'test/docs/shell-blocks.system.test.ts',
  'test/infra/package/package.system.test.ts',
  'test/flow/faults/dev/dev.system.test.ts',
  'test/path/cost/cost.system.test.ts',
  'test/flow/faults/ends.system.test.ts',
  'test/contract/network/late-writes.system.test.ts',
  'test/flow/faults/api.system.test.ts',
];

/** Begins with the longest files; the order of the others is that of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
