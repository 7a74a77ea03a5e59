import { optionsOf } from '../show/options.ts';
import { openTerminal } from '../show/terminal.ts';
import { runGrowth, usualGrowth } from './growth/run.ts';
import { isMet } from './measure/figure.ts';
import { runMillion } from './million/run.ts';
import type { Section } from './section.ts';
import { apiSection } from './sections/api.ts';
import { arrivalSection } from './sections/arrival.ts';
import { auditSection } from './sections/audit.ts';
import { callsSection } from './sections/calls.ts';
import { loginsSection } from './sections/logins.ts';
import { memorySection } from './sections/memory.ts';
import { policiesSection } from './sections/policies.ts';
import { poolerSection } from './sections/pooler.ts';
import { ratesSection } from './sections/rates.ts';
import { readsSection } from './sections/reads/section.ts';
import { uiSection } from './sections/reads/ui/section.ts';
import { reconcileSection } from './sections/reconcile.ts';
import { commandLineSection } from './sections/start/command-line.ts';
import { startSection } from './sections/start/worker.ts';
import { tokensSection } from './sections/tokens.ts';
import { agentsSection } from './sections/workspaces/agents.ts';
import { workspacesSection } from './sections/workspaces/lists.ts';
import { type Measured, showSection, toJson } from './show.ts';
import { runSoak } from './soak/run.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * `npm run bench`: figures as ratios to what the bare libraries do in the same run. `-- --quick` for a short one, `--json`, `--only
 * <section>`, `--records <n>` for the associations of the sections `reads` and `ui` (100,000), `--minutes <n>` for how long the section `ui` scrolls a page before it looks at its memory, `--profile <folder>` for CPU profiles of the processes that are measured. `--million` instead: a backlog of a million
 * operations, created, held and cleared (`--quick`: of 2,000). `--soak`: light use of an API and a worker for 30 minutes
 * (`--minutes <n>`); fails unless both stay flat and under 256 MB. `--growth`: what single items cost in a store of 100,000 secrets
 * and in one of ten million (`--secrets <n>`; some 40 GB); fails when they cost more than 1.5 times as much.
 */
const sections: readonly Section[] = [
  callsSection,
  memorySection,
  reconcileSection,
  ratesSection,
  arrivalSection,
  apiSection,
  policiesSection,
  tokensSection,
  loginsSection,
  auditSection,
  workspacesSection,
  agentsSection,
  poolerSection,
  startSection,
  commandLineSection,
  // Leaves operations in the queue that no worker takes.
  readsSection,
  uiSection,
];

const soakMinutes = 30;
const options = readOptions();
const terminal = openTerminal(options.json ? process.stderr : process.stdout);
/** Progress is shown in a terminal only; a file gets just the tables. */
const report = (text: string) => {
  if (terminal.interactive) terminal.line(terminal.styled('dim', `  ${text}`));
};
let stage: Stage | undefined;
let signalled = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    signalled = true;
    void Promise.resolve(stage?.close()).finally(() => process.exit(130));
  });
}

try {
  stage = await openStage(options.profile, report);
  if (options.million) await runMillion(stage, terminal, options.quick);
  const isFlat =
    (options.soak === undefined || (await runSoak(stage, terminal, options.soak))) &&
    (options.growth === undefined || (await runGrowth(stage, terminal, options.growth)));
  const measured: Measured[] = [];
  for (const section of options.sections) {
    const notes: string[] = [];
    const note = (text: string) => void notes.push(text);
    report(section.title);
    const { quick, records, minutes } = options;
    const figures = await section.measure({ stage, quick, records, minutes, report, note });
    const one = { section: section.name, title: section.title, figures, notes };
    measured.push(one);
    if (!options.json) showSection(terminal, one);
  }
  await stage.close();
  if (options.alone) process.exit(isFlat ? 0 : 1);
  if (options.json) process.stdout.write(`${toJson(measured)}\n`);
  conclude(measured);
  process.exit(0);
} catch (error) {
  // Operations in flight fail while everything is being ended.
  if (signalled) await new Promise(() => {});
  terminal.line(terminal.styled('red', `failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`));
  await stage?.close();
  process.exit(1);
}

function readOptions() {
  const values = optionsOf('bench', {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    profile: { type: 'string' },
    million: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    growth: { type: 'boolean', default: false },
    secrets: { type: 'string', default: '10000000' },
    records: { type: 'string' },
  });
  const { quick, json, profile, million } = values;
  const minutes = values.minutes === undefined ? undefined : wholeOf('minutes', values.minutes, 1_440);
  const soak = values.soak ? (minutes ?? soakMinutes) : undefined;
  const growth = values.growth ? usualGrowth(quick, wholeOf('secrets', values.secrets, 100_000_000)) : undefined;
  const records = wholeOf('records', values.records ?? (quick ? '5000' : '100000'), 100_000_000);
  const alone = million || values.soak || values.growth;
  const { only = alone ? [] : sections.map(({ name }) => name) } = values;
  const unknown = only.filter((name) => !sections.some((section) => section.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `bench: no section ${unknown.join(', ')}; there are ${sections.map(({ name }) => name).join(', ')}\n`,
    );
    process.exit(2);
  }
  return {
    quick,
    records,
    minutes,
    json,
    profile,
    million,
    soak,
    growth,
    alone,
    sections: sections.filter(({ name }) => only.includes(name)),
  };
}

function conclude(measured: readonly Measured[]): void {
  const met = measured.flatMap(({ figures }) => figures.map(isMet)).filter((one) => one !== undefined);
  const count = met.filter((one) => one).length;
  terminal.line();
  terminal.line(terminal.styled(count === met.length ? 'green' : 'yellow', `${count} of ${met.length} targets met`));
}

/** A number of an option; the program exits with 2 if it is not a number. */
function wholeOf(option: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  process.stderr.write(`bench: --${option} must be a whole number from 1 to ${most}\n`);
  process.exit(2);
}
