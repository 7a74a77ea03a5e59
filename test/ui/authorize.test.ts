import { describe, expect, test } from 'vitest';
import { nextOf } from '#ui/pages/authorize/next.ts';
import { providerAt } from '#ui/state/authorize.ts';

describe('the address of a provider', () => {
  test.each([
    ['/ui/vault/identity/oidc/provider/default/authorize', { namespace: '', provider: 'default' }],
    ['/ui/vault/identity/oidc/provider/a%20b/authorize/', { namespace: '', provider: 'a b' }],
    ['/ui/vault/team/dev/identity/oidc/provider/own/authorize', { namespace: 'team/dev', provider: 'own' }],
    ['/ui/vault/identity/oidc/provider/a/b/authorize', undefined],
    ['/ui/vault/identity/oidc/provider/%/authorize', undefined],
    ['/ui/secrets', undefined],
  ])('%s', (path, at) => expect(providerAt(path)).toEqual(at));
});

const redirect_uri = 'https://app.example/done?tenant=a%20b';
const next = (query: Readonly<Record<string, string>>, status: number, body: object) =>
  nextOf(new URLSearchParams({ redirect_uri, state: 's', ...query }), {
    status,
    bytes: new TextEncoder().encode(JSON.stringify(body)),
  });
const code = { code: 'c', state: 's' };
const refused = (error: string) => ({ error, error_description: 'why', redirect_uri });
const denied = `${redirect_uri}&error=access_denied&error_description=`;

describe('after the reply to a login at an application, the browser', () => {
  test('goes back with the code and the state, and the query of the address stays', () => {
    expect(next({}, 200, code)).toEqual({ kind: 'leave', to: `${redirect_uri}&code=c&state=s` });
    expect(next({ state: '' }, 200, code)).toEqual({ kind: 'leave', to: `${redirect_uri}&code=c` });
    expect(next({ redirect_uri: 'com.example.app:/done', prompt: 'none' }, 200, code)).toEqual({
      kind: 'leave',
      to: 'com.example.app:/done?code=c&state=s',
    });
  });

  test('goes back with the error that the server tells the client', () => {
    expect(next({}, 400, refused('access_denied'))).toEqual({ kind: 'leave', to: `${denied}why&state=s` });
    expect(next({ prompt: 'none' }, 400, refused('max_age_violation'))).toEqual({
      kind: 'leave',
      to: `${redirect_uri}&error=login_required&error_description=why&state=s`,
    });
  });

  test.each([
    ['the mode', { response_mode: 'form_post' }],
    ['the prompts', { prompt: 'none login' }],
  ])('goes back with an error when %s cannot be had', (_what, query) => {
    expect(next(query, 200, code)).toMatchObject({
      kind: 'leave',
      to: expect.stringContaining('error=invalid_request'),
    });
  });

  test.each([
    [400, { error: 'invalid_redirect_uri', error_description: 'why' }],
    [400, { error: 'invalid_client_id', error_description: 'why' }],
    [400, { error: 'invalid_request', error_description: 'why' }],
    [403, { errors: ['permission denied'] }],
    [400, { errors: ['max_age is not a number'] }],
    [200, {}],
    [502, 'no document'],
  ])('stays where it is after %i %j', (status, body) => {
    expect(next({}, status, body as object).kind).toBe('stop');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'blob:https://app.example/x', 'no address'])(
    'does not go to %s, even if it is an address of the client',
    (address) => expect(next({ redirect_uri: address }, 200, code).kind).toBe('stop'),
  );

  test('waits for the visitor where the client asks for that', () => {
    const to = `${redirect_uri}&code=c&state=s`;
    expect(next({ prompt: 'consent' }, 200, code)).toMatchObject({ kind: 'choose', to });
    expect(next({ prompt: 'select_account' }, 200, code)).toMatchObject({ kind: 'choose', to });
    expect(next({ prompt: 'login' }, 200, code)).toMatchObject({
      kind: 'again',
      refusal: expect.stringContaining(denied),
    });
    expect(next({}, 400, refused('max_age_violation'))).toMatchObject({ kind: 'again' });
  });
});
