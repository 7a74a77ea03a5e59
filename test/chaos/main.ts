import { findPooler, isPoolerRelease, type PoolerProgram } from '#infra/local/pooler/program.ts';
import { optionsOf } from '#infra/show/options.ts';
import { tableLines } from '#infra/show/table.ts';
import { openTerminal } from '#infra/show/terminal.ts';
import { redisKinds } from './faults/redis.ts';
import { type Outcome, run } from './run.ts';
import type { World } from './world.ts';

/**
 * `npm run test:chaos`: random operations by several clients while processes are killed, servers restart and stand-ins fail;
 * at the end every stand-in must equal the store. `-- --seed N --operations N --seeds K --minutes M --clients C
 * --pooler 1.18 | 1.24`: with that PgBouncer before PostgreSQL; `--failover`: with a synchronous
 * standby, which takes over whenever PostgreSQL is killed; `--redis cluster | sentinels`: a Redis whose replica takes over when it is killed
 */
const values = optionsOf('chaos', {
  seed: { type: 'string' },
  seeds: { type: 'string', default: '1' },
  operations: { type: 'string', default: '10000' },
  minutes: { type: 'string', default: '4' },
  clients: { type: 'string', default: '12' },
  pooler: { type: 'string' },
  failover: { type: 'boolean', default: false },
  redis: { type: 'string', default: 'server' },
});

const numberOf = (text: string, name: string, min: number, max: number): number => {
  const value = Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  process.stderr.write(`chaos: --${name} is a number from ${min} to ${max}\n`);
  process.exit(2);
};

if (values.failover && values.pooler !== undefined) {
  process.stderr.write('chaos: --failover and --pooler are two grounds: give one of them\n');
  process.exit(2);
}
const { failover } = values;
const redis = redisKinds.find((kind) => kind === values.redis) ?? unknownRedis();

function unknownRedis(): never {
  process.stderr.write(`chaos: --redis is one of ${redisKinds.join(', ')}\n`);
  process.exit(2);
}

const terminal = openTerminal();
const firstSeed = numberOf(values.seed ?? String(Date.now() % 1_000_000), 'seed', 0, 4_294_967_295);
const seeds = numberOf(values.seeds, 'seeds', 1, 1_000);
const operations = numberOf(values.operations, 'operations', 1, 10_000_000);
const playMsMax = numberOf(values.minutes, 'minutes', 0.1, 600) * 60_000;
const clientCount = numberOf(values.clients, 'clients', 1, 200);
/** After the last operation. */
const quietMsMax = 180_000;
const violationsShown = 40;
const pooler = values.pooler === undefined ? undefined : await poolerOf(values.pooler);

let world: World | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void (world?.close(false) ?? Promise.resolve()).then(() => process.exit(130));
  });
}

const outcomes: Outcome[] = [];
for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
  terminal.line(terminal.styled('bold', `seed ${seed}: ${operations} operations by ${clientCount} clients`));
  const report = (text: string) => terminal.line(`  ${text}`);
  const outcome = await run(
    { seed, operations, clientCount, playMsMax, quietMsMax, report, failover, redis, ...pooler },
    (open) => {
      world = open;
    },
  );
  outcomes.push(outcome);
  show(outcome);
}
terminal.line();
for (const line of tableLines(columns(), outcomes.map(cells))) terminal.line(line);
const passed = outcomes.filter(({ violations }) => violations.length === 0).length;
terminal.line(`${passed} of ${outcomes.length} seeds passed`);
process.exit(passed === outcomes.length ? 0 : 1);

async function poolerOf(release: string): Promise<{ readonly pooler: PoolerProgram }> {
  const program = isPoolerRelease(release) ? await findPooler(release) : `--pooler is 1.18 or 1.24`;
  if (typeof program !== 'string') return { pooler: program };
  process.stderr.write(`chaos: ${program}\n`);
  process.exit(2);
}

function show({ byName, reasons, injected, violations, folder }: Outcome): void {
  for (const counts of [byName, reasons, injected]) {
    const sorted = [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
    terminal.line(`  ${sorted.map(([what, count]) => `${count} × ${what}`).join(', ')}`);
  }
  for (const text of violations.slice(0, violationsShown)) terminal.line(terminal.styled('red', `  ${text}`));
  if (violations.length > violationsShown) terminal.line(`  and ${violations.length - violationsShown} more`);
  if (folder !== undefined) terminal.line(`  the logs are in ${folder}`);
  else terminal.line(terminal.styled('green', '  every stand-in equals the store'));
}

function columns() {
  const titles = [
    'seed',
    'operations',
    'no answer',
    'kills',
    'restarts',
    'faults',
    'calls',
    'objects',
    'play s',
    'quiet s',
    'violations',
  ];
  return titles.map((title) => ({ title, align: 'right' as const }));
}

function cells(outcome: Outcome): readonly string[] {
  const count = (part: string) =>
    [...outcome.injected].reduce((sum, [what, times]) => (what.includes(part) ? sum + times : sum), 0);
  const { seed, operations: done, unknown, kills, calls, objects, playSeconds, quietSeconds, violations } = outcome;
  const numbers = [seed, done, unknown, kills, count('restarted'), count('fault'), calls, objects];
  return [...numbers.map(String), playSeconds.toFixed(1), quietSeconds.toFixed(1), String(violations.length)];
}
