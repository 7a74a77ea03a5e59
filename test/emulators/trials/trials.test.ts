import { access } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { argumentsFor } from '../lowkey-vault/trial.ts';
import { argumentsOf } from '../secret-manager/trial.ts';
import { trials, untried } from './trials.ts';

const root = new URL('../../..', import.meta.url);

test('each trial has a unique name and an existing type', () => {
  expect(new Set(trials.map(({ name }) => name)).size).toBe(trials.length);
  const types = definitions.map(({ type }) => type);
  for (const { type } of trials) expect(types).toContain(type);
});

test('each type has a trial, or a reason why not', () => {
  const tried = trials.map(({ type }) => type);
  expect([...new Set(tried), ...untried.keys()].sort()).toEqual(definitions.map(({ type }) => type).sort());
});

test.each(trials)('the suites of $name exist, and each of its gaps has a separate reason', async (trial) => {
  for (const suite of trial.suites) await access(new URL(suite, root));
  const reasons = [...trial.gaps, ...trial.allowed].map(({ reason }) => reason);
  expect(new Set(reasons).size).toBe(reasons.length);
  for (const reason of [...reasons, ...(trial.adapted ?? [])]) expect(reason).not.toBe('');
});

test('the emulators get the free ports', () => {
  expect(argumentsOf(1111, 2222).join(' ')).toBe('--http-port 1111 --grpc-port 2222');
  const forJava = argumentsFor('/folder/app.jar')(1111, 2222);
  expect(forJava.slice(0, 2)).toEqual(['-jar', '/folder/app.jar']);
  expect(forJava).toEqual(
    expect.arrayContaining(['--server.address=127.0.0.1', '--server.port=1111', '--app.token.port=2222']),
  );
});
