import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { publishedRate } from '../frame/rate.ts';
import { fields, publicApi } from './fields.ts';
import { names } from './names.ts';

export type { Connection } from './fields.ts';

/**
 * Environment variables of a project at a deployment host. The host has no tags; our mark is in a variable's comment.
 * Running deployments keep their variables; the next deployment sees a change.
 */
export const definition = {
  type: 'deploy-host-project',
  alias: 'vercel-project',
  title: 'Deployment host project environment variables',
  links: [
    { title: 'Environment variables', url: 'https://vercel.com/docs/environment-variables' },
    { title: 'Reserved names', url: 'https://vercel.com/docs/environment-variables/reserved-environment-variables' },
    { title: 'Limits', url: 'https://vercel.com/docs/limits' },
  ],
  fields,
  validate: () => [],
  granularity: 'secret-key',
  templates: {
    'secret-path': 'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}',
    'secret-key':
      'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}_{{ .SecretKey | uppercase }}',
  },
  names,
  listing: 'versions',
  isSameObject: (recorded, found) => idOf(recorded) === idOf(found),
  // 64 KB for all variables of a deployment together, which bounds a single one:
  // https://vercel.com/docs/environment-variables#environment-variable-size
  valueBytesMax: 64 * 1024,
  // The host's 429 for writes of a project's variables names a limit of 120 a minute. Removals have a limit of 60, which the reset
  // in their 429 enforces: https://vercel.com/docs/limits, `limit.total` of https://vercel.com/docs/rest-api/errors
  rate: publishedRate(120, 60),
  rateAccount: ({ team_id, access_token, project_id, endpoint }) => [
    project_id,
    // Ids are unique at the host; the name of a project is unique within its team or personal account.
    project_id.startsWith('prj_') ? '' : (team_id ?? access_token),
    baseUrl(endpoint ?? publicApi),
  ],
  concurrencyMax: 4,
} satisfies DestinationDefinition<typeof fields>;

/** A version is `<id of the variable>:<its version>`. */
const idOf = (version: string): string => version.slice(0, version.lastIndexOf(':'));
