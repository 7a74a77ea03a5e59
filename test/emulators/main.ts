import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { programCache } from '#infra/local/pooler/program.ts';
import { optionsOf } from '#infra/show/options.ts';
import { openTerminal } from '#infra/show/terminal.ts';
import type { Tally } from './run/reporter.ts';
import { runSuites } from './run/run.ts';
import { type Ready, type Trial, Unavailable } from './trials/trial.ts';
import { trials, untried } from './trials/trials.ts';

/**
 * `npm run test:emulators`: the drivers against programs of others. `-- --only moto` selects trials whose name contains this text,
 * `--strict` fails if a trial cannot run on this machine.
 */
const values = optionsOf('emulators', {
  only: { type: 'string', default: '' },
  strict: { type: 'boolean', default: false },
});
const folder = join(programCache, 'emulators');
const terminal = openTerminal();

let running: Ready | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void (running?.close() ?? Promise.resolve()).then(() => process.exit(130)));
}

const chosen = trials.filter(({ name }) => name.includes(values.only));
if (chosen.length === 0) {
  process.stderr.write(
    `emulators: none is named ${JSON.stringify(values.only)}: ${trials.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

await mkdir(folder, { recursive: true });
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const trial of chosen) counts[await attempt(trial)] += 1;
for (const [type, reason] of untried) terminal.line(`${terminal.styled('yellow', 'not tried')}: ${type}: ${reason}`);
terminal.line(`${counts.passed} of ${chosen.length} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 || (values.strict && counts.skipped > 0) ? 1 : 0);

async function attempt(trial: Trial): Promise<keyof typeof counts> {
  const startedAt = Date.now();
  terminal.line(terminal.styled('bold', `${trial.name} → ${trial.type}`));
  try {
    running = await trial.prepare(folder);
    const tally = await runSuites(trial, running);
    show(trial, running.version, tally, Date.now() - startedAt);
    return tally.failures.length === 0 ? 'passed' : 'failed';
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const meanwhile = trial.meanwhile === undefined ? '' : `; meanwhile: ${trial.meanwhile}`;
    terminal.line(`  ${terminal.styled('yellow', 'skipped')}: ${error.message}${meanwhile}`);
    terminal.line();
    return 'skipped';
  } finally {
    await running?.close();
    running = undefined;
  }
}

function show(
  { covers, adapted = [] }: Trial,
  version: string,
  { passed, failures, gaps, judged, waived }: Tally,
  tookMs: number,
): void {
  const known = [...gaps.values()].reduce((sum, tests) => sum + tests.length, 0);
  terminal.line(`  ${version}`);
  terminal.line(`  covers: ${covers}`);
  for (const change of adapted) terminal.line(`  adapted on the way: ${change}`);
  const operations = [...judged].map(([operation, count]) => `${operation} ${count}`).join(', ');
  if (operations !== '') terminal.line(`  exchanges judged: ${operations}`);
  terminal.line(`  ${passed} passed, ${failures.length} failed, ${known} known gaps, ${Math.round(tookMs / 1000)} s`);
  for (const [reason, count] of waived) terminal.line(`  allowed ${count} times: ${reason}`);
  for (const [reason, tests] of gaps) terminal.line(`  gap, ${tests.length} tests: ${reason}`);
  for (const { test, message } of failures) {
    terminal.line(`  ${terminal.styled('red', 'failed')}: ${test}`);
    for (const line of message.split('\n')) terminal.line(`    ${line}`);
  }
  terminal.line();
}
