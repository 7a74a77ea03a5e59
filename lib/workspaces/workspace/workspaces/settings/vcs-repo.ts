import { z } from 'zod';
import { isJsonObject, type Json } from '../../../../core/json.ts';
import { ApiError, invalidAttribute } from '../../../../path/jsonapi/error.ts';
import { flag, text } from '../../../../path/jsonapi/fields.ts';
import { canonicalField } from '../../../../path/vocabulary.ts';
import { isRegularExpression } from './tags-regex.ts';

/** The repository of a workspace, as it is stored; the token of its provider has a column. */
export interface VcsRepo {
  readonly identifier: string;
  /** Empty: the default branch of the repository. */
  readonly branch: string;
  readonly 'ingress-submodules': boolean;
  readonly 'tags-regex': string | null;
  readonly 'vcs-app-installation-id': string | null;
}

export interface Connection {
  readonly repo: VcsRepo | null;
  readonly oauth_token_id: string | null;
}

const identifier = text(512).regex(
  /^[^/\s]+(?:\/[^/\s]+)+$/,
  'must have the form :org/:repo or :org/:project/_git/:repo',
);

/** Keys by their canonical names, with `_` taken for `-`. */
export const dashed = (value: unknown): unknown =>
  isJsonObject(value as Json)
    ? Object.fromEntries(
        Object.entries(value as object).map(([name, one]) => [canonicalField(name.replaceAll('_', '-')), one]),
      )
    : value;

export const vcsRepoField = z
  .preprocess(
    dashed,
    z.object(
      {
        identifier: identifier.optional(),
        branch: text(255).nullish(),
        'ingress-submodules': flag().nullish(),
        'tags-regex': text(512).refine(isRegularExpression, 'is not a regular expression').nullish(),
        'oauth-token-id': text(64).nullish(),
        'vcs-app-installation-id': text(64).nullish(),
      },
      'must be an object',
    ),
  )
  .nullable();

/** The repository as long as something leads to it: with a token that is removed the connection ends. */
export const connected = ({ repo, oauth_token_id }: Connection): VcsRepo | null =>
  oauth_token_id === null && (repo?.['vcs-app-installation-id'] ?? null) === null ? null : repo;

export type SentRepo = z.output<typeof vcsRepoField>;

/**
 * The connection after a request: null takes it away, an object changes the keys that it has; without any, as clients send it for
 * a workspace that has no repository, it changes nothing.
 *
 * @throws ApiError 422 when there is no whole connection then
 */
export function changedConnection(current: Connection, sent: SentRepo | undefined): Connection {
  if (sent === undefined || (sent !== null && Object.keys(sent).length === 0)) return current;
  if (sent === null) return { repo: null, oauth_token_id: null };
  const { token, app } = providerOf(current, sent);
  const repo = sent.identifier ?? current.repo?.identifier;
  if (repo === undefined || (token === null && app === null)) throw incomplete(repo === undefined);
  return {
    repo: {
      identifier: repo,
      branch: sent.branch === undefined ? (current.repo?.branch ?? '') : (sent.branch ?? ''),
      'ingress-submodules': sent['ingress-submodules'] ?? current.repo?.['ingress-submodules'] ?? false,
      'tags-regex':
        sent['tags-regex'] === undefined ? (current.repo?.['tags-regex'] ?? null) : sent['tags-regex'] || null,
      'vcs-app-installation-id': app,
    },
    oauth_token_id: token,
  };
}

/** A token or an installation: who sends one replaces the other. */
function providerOf(current: Connection, sent: NonNullable<SentRepo>) {
  const token = sent['oauth-token-id'] || undefined;
  const app = sent['vcs-app-installation-id'] || undefined;
  if (token !== undefined && app !== undefined)
    throw new ApiError(422, {
      title: 'invalid attribute',
      detail: 'Vcs repo may have an OAuth token or an app installation, not both',
      pointer: '/data/attributes/vcs-repo/oauth-token-id',
    });
  if (token !== undefined) return { token, app: null };
  if (app !== undefined) return { token: null, app };
  return { token: current.oauth_token_id, app: current.repo?.['vcs-app-installation-id'] ?? null };
}

const incomplete = (isIdentifier: boolean): ApiError =>
  invalidAttribute(
    isIdentifier ? 'vcs-repo/identifier' : 'vcs-repo/oauth-token-id',
    'Vcs repo must include oauth-token-id and identifier',
  );
