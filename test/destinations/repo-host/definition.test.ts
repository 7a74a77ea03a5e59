import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiBase } from '#destinations/repo-host/fields/address.ts';
import { locate } from '#destinations/repo-host/fields/location.ts';
import { definition } from '#destinations/repo-host/index.ts';
import { connect } from './connection.ts';

const repository = { repository_owner: 'acme', repository_name: 'app' };
const token = { access_token: 'ghp_marker' };
const organization = { ...token, secrets_location: 'organization', organization_name: 'acme' };
const problems = (body: object) => definition.validate(connect({ ...body })).map(({ text }) => text);

describe('the fields', () => {
  it('accept empty texts for unset options, texts for numbers and comma-separated texts for lists', () => {
    const body = { environment_name: '', organization_visibility: '', secrets_location: '', endpoint: '' };
    const read = connect({ ...body, installation_id: '42', selected_repository_names: 'app, site' });
    expect(read).toMatchObject({ secrets_location: 'repository', installation_id: 42 });
    expect(read.selected_repository_names).toEqual(['app', 'site']);
    expect([read.environment_name, read.organization_visibility, read.endpoint]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('refuse an unknown location, an unknown visibility and an invalid endpoint', () => {
    for (const body of [
      { secrets_location: 'environment' },
      { organization_visibility: 'none' },
      { endpoint: 'ftp://x' },
    ]) {
      expect(z.object(definition.fields).safeParse(body).success).toBe(false);
    }
  });

  it('are described, and only the token is sensitive', () => {
    const metas = Object.entries(definition.fields).map(([name, field]) => ({ name, ...field.meta() }));
    expect(metas.filter(({ description }) => description === undefined)).toEqual([]);
    expect(metas.filter((meta) => 'sensitive' in meta && meta.sensitive === true).map(({ name }) => name)).toEqual([
      'access_token',
    ]);
    const fixed = metas.filter((meta) => 'immutable' in meta && meta.immutable === true).map(({ name }) => name);
    expect(fixed).toEqual(
      expect.arrayContaining(['repository_owner', 'repository_name', 'environment_name', 'organization_name']),
    );
  });

  it('have a JSON schema', () => {
    const schema = z.toJSONSchema(z.object(definition.fields), { io: 'output' });
    expect(schema.properties?.['selected_repository_names']).toMatchObject({ type: 'array' });
  });
});

describe('a connection', () => {
  it('is valid with a token or an app, for each location', () => {
    expect(problems({ ...repository, ...token })).toEqual([]);
    expect(problems({ ...repository, app_name: 'sync', installation_id: 7, environment_name: 'live' })).toEqual([]);
    expect(problems(organization)).toEqual([]);
    const selected = { organization_visibility: 'selected', selected_repository_names: ['app'] };
    expect(problems({ ...organization, ...selected })).toEqual([]);
  });

  it.each([
    [repository, 'credentials are missing'],
    [{ ...repository, ...token, app_name: 'sync' }, 'app_name and installation_id must be set together'],
    [{ ...repository, installation_id: 7 }, 'app_name and installation_id must be set together'],
    [{ ...repository, app_name: 'sync', installation_id: 0 }, 'installation_id must be a positive number'],
    [{ ...repository, access_token: 'ghp_marker\nx' }, 'access_token has'],
    [{ ...token, repository_name: 'app' }, 'repository_owner is missing'],
    [{ ...token, repository_owner: 'acme' }, 'repository_name is missing'],
    [{ ...token, repository_owner: 'acme', repository_name: '..' }, 'repository_name ".." is not a name'],
    [{ ...token, repository_owner: 'acme', repository_name: 'a/b' }, 'repository_name "a/b" is not a name'],
    [{ ...token, ...repository, environment_name: '..' }, 'environment_name is invalid'],
    [
      { ...token, ...repository, organization_name: 'acme' },
      'organization_name cannot be set with secrets_location repository',
    ],
    [{ ...token, ...repository, organization_visibility: 'all' }, 'organization_visibility cannot be set with'],
    [{ ...token, secrets_location: 'organization' }, 'organization_name is missing'],
    [
      { ...organization, repository_owner: 'acme' },
      'repository_owner cannot be set with secrets_location organization',
    ],
    [
      { ...organization, environment_name: 'live' },
      'environment_name cannot be set with secrets_location organization',
    ],
    [{ ...organization, organization_visibility: 'selected' }, 'needs selected_repository_names'],
    [{ ...organization, selected_repository_names: ['app'] }, 'only for organization_visibility selected'],
    [
      { ...organization, organization_visibility: 'selected', selected_repository_names: 'acme/app' },
      'selected_repository_names "acme/app" is not a name',
    ],
    [{ ...token, ...repository, enterprise_url: 'git.example.com' }, 'invalid enterprise_url'],
    [
      { ...token, ...repository, enterprise_url: 'https://u:p@git.example.com' },
      'a user name or password is not allowed',
    ],
    [
      { ...token, ...repository, endpoint: 'https://a.example.com', enterprise_url: 'https://b.example.com' },
      'endpoint and enterprise_url name different servers',
    ],
  ])('%j is refused with a text that names the field', (body, text) => {
    const found = problems(body);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(text);
    expect(found[0]).not.toContain('ghp_marker');
  });

  it('may name one server in both address fields', () => {
    const enterprise_url = 'https://git.example.com';
    for (const endpoint of ['https://git.example.com/', 'https://git.example.com/api/v3']) {
      expect(problems({ ...repository, ...token, endpoint, enterprise_url })).toEqual([]);
    }
  });
});

describe('the API', () => {
  it.each([
    [{}, 'https://api.github.com'],
    [{ endpoint: 'https://proxy.example.com/hub/' }, 'https://proxy.example.com/hub'],
    [{ enterprise_url: 'https://git.example.com/' }, 'https://git.example.com/api/v3'],
    [{ enterprise_url: 'https://git.example.com:8443' }, 'https://git.example.com:8443/api/v3'],
    [{ enterprise_url: 'https://git.example.com/api/v3/' }, 'https://git.example.com/api/v3'],
    [{ enterprise_url: 'https://github.com' }, 'https://api.github.com'],
    [{ enterprise_url: 'https://octocorp.ghe.com' }, 'https://api.octocorp.ghe.com'],
    [{ enterprise_url: 'https://api.octocorp.ghe.com' }, 'https://api.octocorp.ghe.com'],
  ])('for %j is at %s', (body, base) => {
    expect(apiBase(connect(body))).toBe(base);
  });
});

describe('a location', () => {
  it('is an environment when one is named, and is written in words', () => {
    expect(locate(connect({ ...repository, ...token })).text).toBe('repository acme/app');
    expect(locate(connect({ ...repository, environment_name: 'a/b' })).text).toBe(
      'environment a/b of repository acme/app',
    );
    expect(locate(connect(organization)).text).toBe('organization acme');
  });
});

describe('a name', () => {
  it.each([
    ['keyferry_kv/my-secret.KEY', 'KEYFERRY_KV_MY_SECRET_KEY'],
    ['1password', '_1PASSWORD'],
    ['grüße 😀', 'GR_SSE__'],
    ['straße', 'STRASSE'],
    ['', ''],
  ])('%j is normalised to %j', (given, normal) => {
    expect(definition.names.normalise(given)).toBe(normal);
    expect(definition.names.normalise(normal)).toBe(normal);
  });

  it('that is reserved for the host, empty or too long is refused', () => {
    expect(definition.names.refuse('GITHUB_TOKEN')).toContain('GITHUB_');
    expect(definition.names.refuse('')).toContain('empty');
    expect(definition.names.refuse('A'.repeat(256))).toContain('at most 255');
    expect(definition.names.refuse('a-b')).toContain('A-Z 0-9 _');
    expect(definition.names.refuse('_A1')).toBeUndefined();
  });

  it('is the same object in any case', () => {
    expect(definition.names.key('token')).toBe(definition.names.key('TOKEN'));
  });
});

it('The rate begins at what the host allows for a minute.', () => {
  const pointsOfWrite = 5;
  expect(60 * definition.rate.callsPerSecond * pointsOfWrite).toBe(900);
});
