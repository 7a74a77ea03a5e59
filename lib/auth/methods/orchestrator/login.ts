import { compactVerify } from 'jose';
import { AppError, badField, permissionDenied, upstreamFailed } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Identity } from '../../login/contract.ts';
import type { ReadRoleAndConfig } from '../../login/kept/roles.ts';
import { RemoteFailure } from '../../login/remote/failure.ts';
import type { Remote } from '../../login/remote/remote.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import { matchesGlob } from '../../token/roles/glob.ts';
import { algorithms, readAccount, refused, type ServiceAccount } from './account.ts';
import { type OrchestratorConfig, publicKey, storedConfig } from './config.ts';
import type { LocalAccount } from './local-account.ts';
import { aliasAnnotations, namespaceLabels } from './object-metadata.ts';
import { type Access, review } from './review.ts';
import { type OrchestratorRole, storedRole } from './role.ts';
import { readSelector, selects } from './selector.ts';

export interface LoginParts {
  readonly read: ReadRoleAndConfig;
  readonly remote: Remote;
  readonly local: LocalAccount;
  readonly log: Log;
  readonly now: () => Date;
}

/** A login before the token review. */
interface Attempt {
  readonly jwt: string;
  readonly account: ServiceAccount;
  readonly role: OrchestratorRole;
  readonly config: OrchestratorConfig;
}

/**
 * The identity of a service account.
 *
 * @throws AppError `bad-request`, `permission-denied`; `upstream` when the orchestrator cannot be asked
 */
export async function identify(
  parts: LoginParts,
  { role: name, jwt }: { readonly role: string; readonly jwt: string },
  context: RequestContext,
): Promise<Identity> {
  if (name === '') throw badField('role', 'missing role');
  if (jwt === '') throw badField('jwt', 'missing jwt');
  const found = await parts.read({ mountId: context.mount.id, name: name.toLowerCase() });
  if (found.role === undefined) throw badField('role', `invalid role name ${JSON.stringify(name)}`);
  if (found.config === undefined) throw new AppError('internal', 'could not load backend configuration');
  const role = storedRole(found.role);
  const bounds = boundsOf(role.token, context);
  const config = storedConfig(found.config);
  const attempt = { jwt, role, config, account: readAccount(jwt, parts.now()) };
  mustBeBound(attempt);
  await mustBeSigned(attempt);
  const annotations = await asked(parts, attempt, context);
  const { account } = attempt;
  const metadata = metadataOf(name.toLowerCase(), account);
  return {
    displayName: `${account.namespace}-${account.name}`,
    alias: role.alias_name_source === 'serviceaccount_name' ? `${account.namespace}/${account.name}` : account.uid,
    role: name.toLowerCase(),
    policies: role.token.token_policies,
    metadata,
    aliasMetadata: { ...annotations, ...metadata },
    bounds,
  };
}

const metadataOf = (role: string, { name, namespace, secretName, uid }: ServiceAccount) => ({
  role,
  service_account_name: name,
  service_account_namespace: namespace,
  service_account_secret_name: secretName,
  service_account_uid: uid,
});

function mustBeBound({ account, role }: Attempt): void {
  const isAmong = (globs: readonly string[], text: string) => globs.some((glob) => matchesGlob(glob, text));
  if (!isAmong(role.bound_service_account_names, account.name)) throw refused('service account name not authorized');
  // With a selector, the labels of the namespace may still allow it.
  if (role.bound_service_account_namespace_selector !== '') return;
  if (!isAmong(role.bound_service_account_namespaces, account.namespace)) throw refused('namespace not authorized');
}

const usualIssuer = 'kubernetes/serviceaccount';

/** Checks the issuer and the signature without the orchestrator. */
async function mustBeSigned({ jwt, account, config }: Attempt): Promise<void> {
  if (!config.disable_iss_validation && account.issuer !== (config.issuer || usualIssuer))
    throw refused('the issuer of the JWT is not accepted');
  if (config.pem_keys.length === 0) return;
  for (const pem of config.pem_keys) {
    const key = publicKey(pem);
    const isSigned = key !== undefined && (await compactVerify(jwt, key, { algorithms }).then(Boolean, () => false));
    if (isSigned) return;
  }
  throw refused('the signature of the JWT does not match any of the keys');
}

/** Asks for a token review and returns the metadata of the alias. */
async function asked(parts: LoginParts, attempt: Attempt, context: RequestContext) {
  try {
    const access = await accessOf(parts.local, attempt, context.signal);
    const refusal = await review(parts.remote, access, { ...attempt, audience: attempt.role.audience });
    if (refusal !== undefined) {
      parts.log.info({ mount: context.mount.path, reason: refusal }, 'login was refused by the token review');
      throw permissionDenied();
    }
    await mustBeSelected(parts.remote, access, attempt);
    const { use_annotations_as_alias_metadata: annotated } = attempt.config;
    return annotated ? await aliasAnnotations(parts.remote, access, attempt.account) : {};
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    parts.log.warn({ mount: context.mount.path, reason: error.reason }, 'the token review failed');
    throw upstreamFailed(`the orchestrator could not review the JWT: ${error.reason}`);
  }
}

/** The token for the review: the configured one, else that of the pod, else that of the login. */
async function accessOf(local: LocalAccount, { jwt, config }: Attempt, signal: AbortSignal): Promise<Access> {
  const { orchestrator_host: host, disable_local_ca_jwt: isLocalOff } = config;
  const bearer = config.token_reviewer_jwt || (isLocalOff ? jwt : ((await local.token()) ?? jwt));
  const caCertificates = config.orchestrator_ca_cert || (isLocalOff ? '' : await local.caCertificates());
  if (!caCertificates)
    throw new RemoteFailure('there is no CA certificate, neither configured nor in the pod of the server');
  return { host, caCertificates, bearer, signal };
}

async function mustBeSelected(remote: Remote, access: Access, { account, role }: Attempt): Promise<void> {
  const selector = role.bound_service_account_namespace_selector;
  if (selector === '') return;
  if (role.bound_service_account_namespaces.some((glob) => matchesGlob(glob, account.namespace))) return;
  const labels = await namespaceLabels(remote, access, account.namespace);
  const read = readSelector(selector);
  if (labels === undefined || read === undefined || !selects(read, labels)) throw refused('namespace not authorized');
}
