import { beforeEach, inject, type RunnerTask } from 'vitest';

// Runs before each test of a trial: a test in a known gap must fail.
const gaps = inject('trial').gaps.map(({ pattern, reason }) => ({ test: new RegExp(pattern), reason }));

beforeEach(({ task }) => {
  const gap = gaps.find(({ test }) => test.test(fullName(task)));
  if (gap === undefined) return;
  Object.assign(task, { fails: true });
  task.meta.gap = gap.reason;
});

function fullName(task: RunnerTask): string {
  return task.suite === undefined ? task.name : `${fullName(task.suite)} ${task.name}`;
}
