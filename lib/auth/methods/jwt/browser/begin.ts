import { badField, badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { expectsCode, isForBrowsers } from '../browser-settings.ts';
import { type Found, found } from '../found.ts';
import type { Provider } from '../verify/discovery.ts';
import { authorizationUrl } from './authorization-url.ts';
import { beginDevice, type DeviceBegun } from './device.ts';
import type { BrowserParts } from './parts.ts';
import type { PendingLogin } from './pending/login.ts';
import { keepLogin } from './pending/store.ts';
import { asking } from './provider/calls.ts';
import { isAllowedRedirect, withoutNamespace } from './redirect.ts';

/** Seconds in which a user has to log in at the provider. */
const loginSecondsMax = 300;
const pollSeconds = 5;
/** Characters of nonces and PKCE verifiers. */
const secretCharacters = 64;

export interface BeginInput {
  readonly role: string;
  readonly redirect_uri: string;
  readonly client_nonce: string;
}

/** Where to send the user. The URL is empty for a role or a redirect URI that the mount does not accept. */
export type Begun =
  | DeviceBegun
  | { readonly auth_url: string; readonly state?: string; readonly poll_interval?: string };

/** Begins a login by browser. @throws AppError `bad-request`; `upstream` when the provider cannot be asked */
export async function begin(parts: BrowserParts, input: BeginInput, context: RequestContext): Promise<Begun> {
  const { mount, signal } = context;
  const asked = await found(parts, mount.id, input.role);
  const { name, role, config } = asked;
  if (!isForBrowsers(config)) throw badRequest('OIDC login is not configured for this mount');
  const isDevice = role.callback_mode === 'device';
  if (input.redirect_uri === '' && !isDevice) throw badField('redirect_uri', 'missing redirect_uri');
  if (role.role_type !== 'oidc') return { auth_url: '' };
  if (input.client_nonce === '' && role.callback_mode !== 'client')
    throw badField('client_nonce', 'missing client_nonce');
  const { uri, namespace } = config.namespace_in_state
    ? withoutNamespace(input.redirect_uri)
    : { uri: input.redirect_uri, namespace: '' };
  if (!isDevice && !isAllowedRedirect(uri, role.allowed_redirect_uris)) {
    parts.log.warn({ mount: mount.path, role: name }, 'a login named a redirect URI that its role does not allow');
    return { auth_url: '' };
  }
  const provider = await asking(parts, mount.path, () => parts.keys.provider(config));
  const login: PendingLogin = {
    role: name,
    issuer: provider.issuer,
    clientId: config.oidc_client_id,
    redirectUri: isDevice ? '' : uri,
    polled: role.callback_mode !== 'client',
    nonce: `n_${randomBase62(secretCharacters)}`,
    verifier: randomBase62(secretCharacters),
    clientNonce: input.client_nonce,
  };
  if (isDevice)
    return beginDevice(parts, { login, role, mountId: mount.id }, { config, provider, mountPath: mount.path, signal });
  return beginRedirect(parts, asked, { login, provider, namespace, mountId: mount.id });
}

interface Redirected {
  readonly login: PendingLogin;
  readonly provider: Provider;
  readonly namespace: string;
  readonly mountId: string;
}

async function beginRedirect(
  parts: BrowserParts,
  { role, config }: Found,
  { login, provider, namespace, mountId }: Redirected,
): Promise<Begun> {
  const { authorization = `${provider.issuer.replace(/\/+$/, '')}/authorize` } = provider.endpoints;
  const state = await keepLogin(parts.store, { mountId, login, stage: 'open', seconds: loginSecondsMax });
  const url = authorizationUrl(authorization, {
    ...login,
    state: namespace === '' ? state : `${state},ns=${namespace}`,
    scopes: role.oidc_scopes,
    code: expectsCode(config),
    formPost: config.oidc_response_mode === 'form_post',
    maxAge: Math.max(role.max_age, 0),
  });
  if (!login.polled) return { auth_url: url };
  return { auth_url: url, state, poll_interval: String(role.poll_interval || pollSeconds) };
}
