import { expect, test } from 'vitest';
import { startFake } from '#destinations/cloud-c-sm/fake/index.ts';
import { universeProblem } from '#destinations/cloud-c-sm/fields/credentials.ts';
import { definition } from '#destinations/cloud-c-sm/index.ts';
import { ending } from '../../support/services.ts';
import { connect, failureOf, item, never, start } from './setup.ts';

test.each([
  [undefined, undefined],
  ['googleapis.com', undefined],
  ['googleapis.com', 'https://10.0.0.1:8443'],
  ['apis.example', 'https://secretmanager.apis.example'],
  ['apis.example', 'https://apis.example/path'],
])('credentials of the universe %s go to %s', (universe, endpoint) => {
  expect(universeProblem(universe, endpoint)).toBeUndefined();
});

test.each([
  ['apis.example', undefined],
  ['apis.example', 'https://secretmanager.googleapis.com'],
  ['apis.example', 'https://notapis.example'],
  ['apis.example', 'https://apis.example.evil.example'],
])('credentials of the universe %s do not go to %s', (universe, endpoint) => {
  expect(universeProblem(universe, endpoint)).toMatch(/universe_domain.*set endpoint/);
});

test('credentials of another universe are refused by the API and, when they come from a file, by the driver', async () => {
  const fake = ending(await startFake());
  const { credentials } = fake.destination;
  const foreign = JSON.stringify({ ...JSON.parse(String(credentials)), universe_domain: 'apis.example' });
  const connection = connect({ ...fake.destination, endpoint: undefined, credentials: foreign });
  expect(definition.validate(connection).map(({ text }) => text)[0]).toMatch(
    /invalid credentials: their universe_domain/,
  );
  const setting = await start();
  try {
    const failure = await failureOf(setting.open({ credentials: foreign }).put(item(), never));
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringContaining('universe_domain') });
    expect(setting.fake.calls().size).toBe(0);
  } finally {
    await setting.close();
  }
});
