// Beyond the usual files: the second way to log in, as an installation of an app.
import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import type { Octokit } from '@octokit/rest';
import { z } from 'zod';
import { type AppCredentials, DestinationFailure, type DriverContext } from '../../contract.ts';
import { cannot } from '../../frame/verb/verb.ts';
import type { Answer, Call } from '../exchange.ts';
import { hostNow, refusal, strangeHost } from '../failure.ts';
import { apiBase } from '../fields/address.ts';
import type { Token } from './login.ts';

export interface Installation {
  readonly name: string;
  readonly installationId: number;
  /** Base URL that the signature is sent to. */
  readonly base: string;
}

const rights = 'an installation of the app that is not suspended';

/** Sends one request as the app itself: a signed JWT instead of a token. */
export type AppExchange = (options: AppOptions, call: Call) => Promise<Answer>;
export type AppOptions = Pick<NonNullable<ConstructorParameters<typeof Octokit>[0]>, 'authStrategy' | 'auth'>;

/**
 * Exchanges the app's signature for a token of its installation. auth-app signs, and corrects the signature's times when the clocks
 * differ. Its token cache is not used: it is keyed by the installation's number for the whole process, so two hosts or apps with the
 * same number would share a token, and it assumes a lifetime of one hour instead of reading the token's expiry.
 * @throws DestinationFailure credentials when the app is not configured, its key is invalid, or the host refuses it
 */
export async function makeInstallationToken(
  { name, installationId, base }: Installation,
  app: DriverContext['app'],
  exchange: AppExchange,
): Promise<Token> {
  const { appId, privateKey } = await credentialsOf(name, base, app);
  const auth = { appId, privateKey: privateKey.reveal() };
  const step = `get a token for installation ${installationId} of app "${name}"`;
  const answer = await exchange(
    { authStrategy: createAppAuth, auth },
    {
      route: 'POST /app/installations/{installation_id}/access_tokens',
      parameters: { installation_id: installationId },
      step,
      rights,
    },
  );
  return readToken(answer, step);
}

async function credentialsOf(name: string, base: string, app: DriverContext['app']): Promise<AppCredentials> {
  const credentials = await app(name);
  if (credentials === undefined) {
    throw new DestinationFailure('credentials', `app "${name}" is not configured: write sys/sync/github-apps/${name}`);
  }
  if (apiBase(credentials.addresses) !== base) {
    throw new DestinationFailure(
      'credentials',
      `app "${name}" logs in only at ${apiBase(credentials.addresses)}: write sys/sync/github-apps/${name} with the host of this destination`,
    );
  }
  if (!isRsaKey(credentials.privateKey.reveal())) {
    throw new DestinationFailure(
      'credentials',
      `the private key of app "${name}" is not an RSA key in PEM: write it again`,
    );
  }
  return credentials;
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const tokenBody = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

function readToken(answer: Answer, step: string): Token {
  if (answer.status !== 201) throw appRefusal(answer, step);
  const body = tokenBody.safeParse(answer.data);
  if (!body.success) throw cannot(step, strangeHost());
  // The expiry is on the host's clock.
  const livesMs = Date.parse(body.data.expires_at) - hostNow(answer).getTime();
  const { receivedAt: madeAt } = answer;
  return { text: body.data.token, madeAt, endsAt: new Date(madeAt.getTime() + livesMs) };
}

/** A missing installation, or one of another app, is a problem of the credentials and not of the repository. */
function appRefusal(answer: Answer, step: string): DestinationFailure {
  const failure = refusal(answer, { step, rights });
  if (failure.kind !== 'missing' && failure.kind !== 'invalid') return failure;
  return new DestinationFailure('credentials', `${failure.message}; check app_name, installation_id and the app's id`, {
    said: failure.said?.reveal(),
  });
}
