import { z } from 'zod';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import { badRequest } from '#core/errors.ts';
import type { JwtRole } from '../role.ts';
import { scopeOf } from './authorization-url.ts';
import type { BrowserParts } from './parts.ts';
import type { PendingLogin } from './pending/login.ts';
import { changeLogin, claimPoll, keepLogin, type LoginKey } from './pending/store.ts';
import { asking, type CallContext, sendForm } from './provider/calls.ts';
import { exchange, type ProviderTokens } from './provider/tokens.ts';

/** What a client shows to its user. */
export interface DeviceBegun {
  readonly auth_url: string;
  readonly user_code: string;
  readonly state: string;
  readonly poll_interval: string;
}

const pollSeconds = 5;
const pollSecondsMax = 60;
/** A provider may let a code live long; a login ends anyway. */
const loginSecondsMax = 900;

/** RFC 8628, section 3.2. */
const authorization = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(256),
  verification_uri: z.url({ protocol: /^https?$/ }),
  verification_uri_complete: z.url({ protocol: /^https?$/ }).optional(),
  expires_in: z.number().positive(),
  interval: z.number().min(1).max(pollSecondsMax).default(pollSeconds),
});

interface NewDevice {
  readonly login: PendingLogin;
  readonly role: JwtRole;
  readonly mountId: string;
}

/** Asks the provider for a code that the user enters there (RFC 8628). @throws AppError `bad-request`, `upstream` */
export async function beginDevice(
  parts: BrowserParts,
  { login, role, mountId }: NewDevice,
  context: CallContext,
): Promise<DeviceBegun> {
  const { device: endpoint } = context.provider.endpoints;
  if (endpoint === undefined) throw badRequest('the provider has no device authorization endpoint');
  const form = { client_id: login.clientId, scope: scopeOf(role.oidc_scopes) };
  const given = await asking(parts, context.mountPath, async () => {
    const reply = await sendForm(parts, endpoint, form, context);
    if ('refusal' in reply) throw new RemoteFailure(`it refused the device login: ${reply.refusal}`);
    const read = authorization.safeParse(reply.json);
    if (!read.success) throw new RemoteFailure('its reply is not a device authorization');
    return read.data;
  });
  const seconds = role.poll_interval || Math.ceil(given.interval);
  const state = await keepLogin(parts.store, {
    mountId,
    login: { ...login, device: { code: given.device_code, seconds } },
    stage: 'device',
    seconds: Math.ceil(Math.min(given.expires_in, loginSecondsMax)),
  });
  const url = given.verification_uri_complete ?? given.verification_uri;
  return { auth_url: url, user_code: given.user_code, state, poll_interval: String(seconds) };
}

/** A user who has not entered the code yet, in the words of RFC 8628. */
export type StillWaiting = 'authorization_pending' | 'slow_down';

/**
 * Asks the provider whether the user has entered the code.
 *
 * @throws AppError `bad-request` when the provider refused the login, `upstream` when it cannot be asked
 */
export async function pollDevice(
  parts: BrowserParts,
  { key, login }: { readonly key: LoginKey; readonly login: PendingLogin },
  context: CallContext,
): Promise<ProviderTokens | StillWaiting> {
  const { device } = login;
  if (device === undefined || !(await claimPoll(parts.store, key, device.seconds))) return 'slow_down';
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.code,
    client_id: login.clientId,
  };
  const reply = await asking(parts, context.mountPath, () => exchange(parts, grant, context));
  if (!('refusal' in reply)) return reply;
  if (reply.refusal === 'authorization_pending') return reply.refusal;
  if (reply.refusal !== 'slow_down') throw badRequest(`login failed: the provider refused it: ${reply.refusal}`);
  const slower = { ...login, device: { ...device, seconds: Math.min(device.seconds + pollSeconds, pollSecondsMax) } };
  await changeLogin(parts.store, key, { from: 'device', to: 'device', login: slower });
  return reply.refusal;
}
