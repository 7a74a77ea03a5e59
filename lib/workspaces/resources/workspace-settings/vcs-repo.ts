import { z } from 'zod';
import { isJsonObject, type Json } from '#core/json/json.ts';
import { ApiError, invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, text } from '#path/jsonapi/fields.ts';
import { canonicalField } from '#path/vocabulary.ts';

/** The repository of a workspace as stored. The OAuth token has a separate column. */
export interface VcsRepo {
  readonly identifier: string;
  /** Empty for the default branch. */
  readonly branch: string;
  readonly 'ingress-submodules': boolean;
  /** Whether pull requests from forks are planned: their code runs with the variables of the workspace. Absent: false. */
  readonly 'ingress-forks'?: boolean;
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

/** Canonical names of keys: `_` is replaced by `-`. */
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
        'ingress-forks': flag().nullish(),
        'ingress-submodules': flag().nullish(),
        'tags-regex': text(512).refine(isRegularExpression, 'is not a regular expression').nullish(),
        'oauth-token-id': text(64).nullish(),
        'vcs-app-installation-id': text(64).nullish(),
      },
      'must be an object',
    ),
  )
  .nullable();

/** The repository while it has a token or an app installation: deleting the token disconnects it. */
export const connected = ({ repo, oauth_token_id }: Connection): VcsRepo | null =>
  oauth_token_id === null && (repo?.['vcs-app-installation-id'] ?? null) === null ? null : repo;

export type SentRepo = z.output<typeof vcsRepoField>;

/**
 * The connection after a request. Null removes it; an object updates the keys that it contains. An empty object, which clients send
 * for a workspace without a repository, changes nothing.
 *
 * @throws ApiError 422 when the result is incomplete
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
      'ingress-forks': sent['ingress-forks'] ?? current.repo?.['ingress-forks'] ?? false,
      'tags-regex':
        sent['tags-regex'] === undefined ? (current.repo?.['tags-regex'] ?? null) : sent['tags-regex'] || null,
      'vcs-app-installation-id': app,
    },
    oauth_token_id: token,
  };
}

/** A connection has either a token or an app installation; sending one replaces the other. */
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
  if (app !== undefined)
    throw invalidAttribute(
      'vcs-repo/vcs-app-installation-id',
      'Vcs repo cannot use an app installation here: connect the repository with an OAuth token',
    );
  return { token: current.oauth_token_id, app: current.repo?.['vcs-app-installation-id'] ?? null };
}

const incomplete = (isIdentifier: boolean): ApiError =>
  invalidAttribute(
    isIdentifier ? 'vcs-repo/identifier' : 'vcs-repo/oauth-token-id',
    'Vcs repo must include oauth-token-id and identifier',
  );

/**
 * Whether a text is a regular expression. It is only compiled here, so its cost does not matter; agents and repository hosts match it.
 * Their syntax differs from that of JavaScript in leading flags, names of groups, and atomic groups.
 */
export function isRegularExpression(text: string): boolean {
  const here = text
    .replace(/^\(\?[imsx-]+\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll('(?>', '(?:');
  try {
    return new RegExp(here) !== undefined;
  } catch {
    return false;
  }
}
