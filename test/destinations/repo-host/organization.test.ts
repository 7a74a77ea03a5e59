import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Driver } from '#destinations/contract.ts';
import { type RepoHostFake, startFake } from '#destinations/repo-host/fake/index.ts';
import { calm, failureOf, item, movableClock, open } from './connection.ts';

let fake: RepoHostFake;
const opened: Driver[] = [];

beforeEach(async () => {
  fake = await startFake();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
  await fake.close();
});

function openOrganization(body: object = {}, clock = movableClock()): Driver {
  const driver = open(fake, { ...fake.organizationDestination, ...body }, { clock });
  opened.push(driver);
  return driver;
}

const put = (driver: Driver, value: string) => driver.put(item('TOKEN', value, { mode: 'update' }), calm());
const lookUps = () => fake.calls().get('get-repository') ?? 0;

it('The selected repositories see a secret, also after each further put.', async () => {
  const driver = openOrganization();
  for (const value of ['one', 'two', 'three']) {
    await put(driver, value);
    expect(fake.visibility('TOKEN')).toEqual({ visibility: 'selected', selectedRepositoryIds: [1001, 1002] });
    expect(fake.at('organization').objects().get('TOKEN')?.value).toBe(value);
  }
  expect(lookUps()).toBe(2);
});

it('The next put restores a visibility that was changed at the host.', async () => {
  await put(openOrganization(), 'one');
  await put(openOrganization({ organization_visibility: 'all', selected_repository_names: '' }), 'two');
  expect(fake.visibility('TOKEN')).toEqual({ visibility: 'all', selectedRepositoryIds: [] });
  await put(openOrganization(), 'three');
  expect(fake.visibility('TOKEN')).toMatchObject({ visibility: 'selected' });
});

it('A secret is private by default.', async () => {
  await put(openOrganization({ organization_visibility: '', selected_repository_names: '' }), 'one');
  expect(fake.visibility('TOKEN')).toEqual({ visibility: 'private', selectedRepositoryIds: [] });
  expect(lookUps()).toBe(0);
});

it('An unknown repository is named, and nothing is written.', async () => {
  const driver = openOrganization({ selected_repository_names: 'app,ghost' });
  const failure = await failureOf(put(driver, 'one'));
  expect(failure).toMatchObject({ kind: 'missing' });
  expect(failure.message).toContain('repository acme/ghost, named in selected_repository_names');
  expect(fake.at('organization').objects().size).toBe(0);
});

it('A repository that was deleted and recreated gets the secret by its new id.', async () => {
  const driver = openOrganization();
  await put(driver, 'one');
  fake.recreateRepository('site');
  await put(driver, 'two');
  expect(fake.visibility('TOKEN')?.selectedRepositoryIds).toEqual([1001, 1004]);
});

it('Names are looked up again after a while.', async () => {
  const clock = movableClock();
  const driver = openOrganization({}, clock);
  await put(driver, 'one');
  clock.advance(11 * 60_000);
  await put(driver, 'two');
  expect(lookUps()).toBe(4);
});

it('The other verbs work on the organization.', async () => {
  const driver = openOrganization();
  await driver.put(item('TOKEN', 'one'), calm());
  expect(await driver.inspect('TOKEN', calm())).toMatchObject({ mark: null });
  await driver.remove({ name: 'TOKEN', mark: '', remoteVersion: null }, calm());
  expect(await driver.inspect('TOKEN', calm())).toBeUndefined();
});

it('An organization that does not exist is named in the failure.', async () => {
  const driver = openOrganization({
    organization_name: 'nobody',
    organization_visibility: 'all',
    selected_repository_names: '',
  });
  const failure = await failureOf(put(driver, 'one'));
  expect(failure).toMatchObject({ kind: 'missing' });
  expect(failure.message).toContain('organization nobody');
});
