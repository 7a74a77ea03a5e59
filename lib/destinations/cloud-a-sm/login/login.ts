import {
  createCredentialChain,
  fromEnv,
  fromHttp,
  fromIni,
  fromInstanceMetadata,
  fromTemporaryCredentials,
  fromTokenFile,
} from '@aws-sdk/credential-providers';
import { decide, type NetworkPolicy } from '#network/policy.ts';
import type { DestinationFailure } from '../../contract.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import { withinRequestTime } from '../../frame/verb/request-time.ts';
import { toFailure } from '../failure/failure.ts';
import type { Connection } from '../fields/fields.ts';
import type { ClientSettings } from './sdk.ts';

interface Timeouts {
  readonly connectMs: number;
  readonly requestMs: number;
}

type Provider = ReturnType<typeof fromTemporaryCredentials>;

/**
 * The credentials of a connection: its access key, or those of the environment. With `role_arn` they are used to assume that
 * role. The SDK caches them until shortly before they expire. No call is made before credentials are needed.
 */
export function openCredentials(
  connection: Connection,
  policy: NetworkPolicy,
  settings: ClientSettings,
  timeouts: Timeouts,
  obtained: (credential: string) => void,
): Provider {
  return reporting(providerOf(connection, policy, settings, timeouts), obtained);
}

/** Reports the credentials that the provider returns, so that redaction knows them. */
const reporting =
  (provider: Provider, obtained: (credential: string) => void): Provider =>
  async (properties) => {
    const credentials = await provider(properties);
    const { accessKeyId, secretAccessKey, sessionToken = '' } = credentials;
    for (const text of [accessKeyId, secretAccessKey, sessionToken]) if (text !== '') obtained(text);
    return credentials;
  };

function providerOf(
  connection: Connection,
  policy: NetworkPolicy,
  settings: ClientSettings,
  timeouts: Timeouts,
): Provider {
  const { role_arn: role, external_id: externalId, sts_endpoint: stsEndpoint } = connection;
  const source = accessKey(connection) ?? environment(policy, settings, timeouts);
  if (role === undefined) return source;
  const assumed = fromTemporaryCredentials({
    masterCredentials: source,
    params: {
      RoleArn: role,
      RoleSessionName: 'keyferry',
      ...(externalId !== undefined && { ExternalId: externalId }),
    },
    clientConfig: { ...settings, ...(stsEndpoint !== undefined && { endpoint: baseUrl(stsEndpoint) }) },
  });
  return bounded(assumed, `assume role ${role}`, timeouts.requestMs);
}

/** The SDK shares one run of a provider among all waiting calls, so a run that hangs would block them forever. */
function bounded(provider: Provider, action: string, requestMs: number): Provider {
  return async (properties) => {
    try {
      return await withinRequestTime(requestMs, undefined, () => provider(properties));
    } catch (error) {
      throw withoutCode(toFailure(error, action));
    }
  };
}

/** Drops the code: "not found" and "access denied" from STS or SSO say nothing about the secret that is requested next. */
const withoutCode = (failure: DestinationFailure): DestinationFailure => failure.withMessage(failure.message);

function accessKey({ access_key_id, secret_access_key }: Connection): Provider | undefined {
  if (access_key_id === undefined || secret_access_key === undefined) return undefined;
  return async () => ({ accessKeyId: access_key_id, secretAccessKey: secret_access_key });
}

/**
 * The SDK's credential chain, assembled from its parts because the whole chain dials the metadata services past our agents. In
 * this order: the variables AWS_ACCESS_KEY_ID ..., the shared config files (calls to STS and SSO go through our agents), a web
 * identity token file, and the metadata services of containers and instances where the policy allows their addresses.
 *
 * A profile whose `credential_source` is a metadata service is followed: the config file belongs to the worker's machine, and no
 * field of a destination leads to it. The web identity token goes only to the provider's own STS: it is a bearer token, so it
 * must never reach an address that a destination names (`sts_endpoint`).
 */
function environment(policy: NetworkPolicy, { region, ...shared }: ClientSettings, timeouts: Timeouts): Provider {
  const metadata = { timeout: timeouts.connectMs, maxRetries: 0 };
  const providers: Readonly<Record<MetadataService, Provider>> = {
    container: async () => fromHttp(metadata)(),
    instance: async () => fromInstanceMetadata(metadata)(),
  };
  const chain = createCredentialChain(
    fromEnv(),
    // Single sign-on has its own region.
    fromIni({ clientConfig: shared }),
    fromTokenFile({ clientConfig: { ...shared, ...(region !== undefined && { region }) } }),
    ...openMetadataServices(policy).map((service) => providers[service]),
  );
  return bounded(chain, 'get credentials from the environment', timeouts.requestMs);
}

type MetadataService = 'container' | 'instance';

/** The addresses that the SDK uses: ECS, EKS pod identity, and the instance. */
const metadataAddresses: readonly (readonly [MetadataService, string])[] = [
  ['container', '169.254.170.2'],
  ['container', '169.254.170.23'],
  ['instance', '169.254.169.254'],
];

/** The metadata services that a policy allows. A service with several addresses is allowed only if all of them are. */
export function openMetadataServices(policy: NetworkPolicy): readonly MetadataService[] {
  const closed = metadataAddresses.filter(([, address]) => decide(policy, address, 80).length > 0);
  return (['container', 'instance'] as const).filter((service) => closed.every(([name]) => name !== service));
}
