import { startVitest } from 'vitest/node';
import type { Given, Ready, Trial } from '../trials/trial.ts';
import { newTally, type Tally, tallying } from './reporter.ts';
import { swap } from './swap.ts';

const root = new URL('../../..', import.meta.url).pathname;
const testMsMax = 60_000;

/** Runs the suites of a prepared trial. The tally has the result; a run without tests is a failure. */
export async function runSuites(trial: Trial, ready: Ready): Promise<Tally> {
  const tally = newTally();
  const { plugin, missing } = swap();
  const vitest = await startVitest(
    'test',
    [],
    {
      root,
      config: false,
      watch: false,
      include: [...trial.suites],
      setupFiles: [
        'test/emulators/run/setup.ts',
        ...(ready.given.oracle === undefined ? [] : ['test/emulators/oracle/setup.ts']),
      ],
      reporters: [tallying(tally)],
      provide: { trial: givenOf(trial, ready) },
      // A cached module keeps the imports that were resolved without the plugin.
      fsModuleCache: false,
      pool: 'forks',
      maxWorkers: 1,
      fileParallelism: false,
      testTimeout: testMsMax,
      hookTimeout: testMsMax,
    },
    { plugins: [plugin] },
  );
  const unhandled = vitest.state
    .getUnhandledErrors()
    .map((error) => ({ test: 'outside of tests', message: String(error) }));
  const broken = vitest.state
    .getFiles()
    .flatMap(({ filepath, result }) =>
      (result?.errors ?? []).map(({ message }) => ({ test: filepath.slice(root.length), message })),
    );
  tally.failures.push(...unhandled, ...broken);
  await vitest.close();
  // vitest sets the exit code of the process, but only the tally counts.
  process.exitCode = 0;
  const occurred = [...tally.gaps.keys(), ...tally.waived.keys()];
  for (const { reason } of [...trial.gaps, ...trial.allowed].filter((one) => !occurred.includes(one.reason))) {
    tally.failures.push({ test: trial.name, message: `take this off the list, it occurs no more: ${reason}` });
  }
  if (ready.given.oracle !== undefined && tally.judged.size === 0) {
    tally.failures.push({ test: trial.name, message: 'the oracle was asked nothing' });
  }
  for (const file of missing) {
    tally.failures.push({
      test: trial.name,
      message: `no suite imports #destinations/${file}.ts, so none was given the trial's`,
    });
  }
  if (tally.passed === 0) tally.failures.push({ test: trial.name, message: 'no test has passed' });
  return tally;
}

function givenOf({ type, gaps, allowed }: Trial, { given }: Ready): Given {
  const rules = {
    gaps: gaps.map(({ test, reason }) => ({ pattern: test.source, reason })),
    allowed: allowed.map(({ difference, reason }) => ({ pattern: difference.source, reason })),
  };
  return {
    type,
    ...rules,
    standIn: undefined,
    emulator: '',
    certificate: '',
    oracle: undefined,
    packages: '',
    ...given,
  };
}
