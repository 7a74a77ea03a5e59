import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';

const keysPath = '/.well-known/jwks';

/** What verifiers of the tokens of runs read, without a token. The issuer is the address of this service. */
export const workloadIdentityRows = ({ workloadTokens }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/.well-known/openid-configuration',
    summary: 'Read the discovery document of the tokens of runs',
    needs: { open: 'everyone' },
    unrecorded: true,
    replies: { 200: { mediaType: 'application/json' } },
    run: async ({ origin }) => json({ ...document, issuer: origin, jwks_uri: `${origin}${keysPath}` }),
  }),
  operation({
    method: 'GET',
    path: keysPath,
    summary: 'Read the public keys of the tokens of runs',
    needs: { open: 'everyone' },
    replies: { 200: { mediaType: 'application/json' } },
    run: async () => json({ keys: (await workloadTokens.published()).keys }),
  }),
];

const json = (value: object): ApiReply => ({ contentType: 'application/json', bytes: JSON.stringify(value) });

const document = {
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid'],
  claims_supported: ['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf']
    .concat(['terraform_run_phase', 'terraform_run_id', 'terraform_full_workspace'])
    .concat(
      ['organization', 'project', 'workspace'].flatMap((one) => [`terraform_${one}_id`, `terraform_${one}_name`]),
    ),
};
