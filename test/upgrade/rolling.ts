import { optionsOf } from '#infra/show/options.ts';
import { tableLines } from '#infra/show/table.ts';
import { openTerminal } from '#infra/show/terminal.ts';
import { earlierCode } from './earlier.ts';
import { clientsMax, type Rolled, roll } from './rolling/play.ts';
import { openStage } from './rolling/stage.ts';
import { quantile, sum } from './rolling/tally.ts';

/**
 * `npm run test:rolling` runs processes of the previous release and of this code on one PostgreSQL and one Redis under load, forward and
 * one step back. At the end every secret, copy, token and run must be as acknowledged. `-- --minutes M --clients C --previous COMMIT`
 */
const values = optionsOf('rolling', {
  minutes: { type: 'string', default: '5' },
  clients: { type: 'string', default: '6' },
  previous: { type: 'string' },
});

const numberOf = (name: 'minutes' | 'clients', min: number, max: number): number => {
  const value = Number(values[name]);
  if (value >= min && value <= max) return value;
  process.stderr.write(`rolling: --${name} is a number from ${min} to ${max}\n`);
  process.exit(2);
};

const terminal = openTerminal();
const playMs = numberOf('minutes', 0.1, 120) * 60_000;
const clients = numberOf('clients', 1, clientsMax);
const earlier = await earlierCode(values.previous);
if (typeof earlier === 'string') {
  process.stderr.write(`The rolling upgrade is not tried: ${earlier}\n`);
  process.exit(values.previous === undefined ? 0 : 2);
}
const stage = await openStage(earlier.folder);
const close = async () => {
  await stage.close();
  await earlier.close();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void close().then(() => process.exit(130)));
}
try {
  terminal.line(terminal.styled('bold', `the previous release is ${earlier.commit}`));
  const rolled = await roll(stage, {
    playMs,
    clients,
    report: (text) => terminal.line(`  ${text}`),
  });
  show(rolled);
  process.exitCode = rolled.tally.violations.length === 0 ? 0 : 1;
} finally {
  await close();
}

function show({ tally, steps, back, copies, calls }: Rolled): void {
  terminal.line();
  const rows = tally.phases.map((phase) => [
    phase.name,
    phase.seconds.toFixed(0),
    String(sum(phase.done)),
    (sum(phase.done) / phase.seconds).toFixed(0),
    quantile(phase.tookMs, 0.5).toFixed(0),
    quantile(phase.tookMs, 0.99).toFixed(0),
    quantile(phase.tookMs, 1).toFixed(0),
    String(sum(phase.unavailable)),
    String(phase.cut),
  ]);
  const columns = ['phase', 'seconds', 'answers', 'a second', 'p50 ms', 'p99 ms', 'max ms', '503', 'cut'].map(
    (title) => ({ title }),
  );
  for (const line of tableLines(columns, rows)) terminal.line(line);
  terminal.line();
  for (const { name, unavailable } of tally.phases) {
    for (const [text, count] of unavailable) terminal.line(`${name}: ${count} times ${text.trim()}`);
  }
  terminal.line(`schema steps of the new release: ${steps.join(', ') || 'none'}`);
  terminal.line(`the old release, started again on the schema of the new one: ${back}`);
  terminal.line(`copies at the end: ${copies}; calls of cloud-a-sm by workers: ${calls.old} old, ${calls.new} new`);
  for (const violation of tally.violations) terminal.line(`${terminal.styled('red', 'violation')}: ${violation}`);
  terminal.line(`${tally.violations.length} violations`);
}
