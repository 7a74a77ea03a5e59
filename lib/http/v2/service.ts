import type { Service } from '../server/parts.ts';
import type { ApiParts } from './parts.ts';
import { createApiPipeline } from './pipeline.ts';
import { refusalOf } from './refuse.ts';

/** Largest document that a client may send, in bytes: a description or a variable of 256 KiB is already long. */
const documentBytesMax = 2 * 1024 * 1024;

/** Where verifiers of the tokens of runs look. */
const workloadUrls = ['/.well-known/openid-configuration', '/.well-known/jwks'];

/** The API of workspaces, below `/api/v2/`. */
export const workspacesService = (parts: Omit<ApiParts, 'bodyLimitBytes'>): Service => ({
  urls: ['/api/v2', '/api/v2/*', '/api/meta/*', '/.well-known/terraform.json', ...workloadUrls],
  owns: (url) => /^\/api\/(?:v2|meta)(?:[/?]|$)/.test(url),
  pipeline: createApiPipeline({ ...parts, bodyLimitBytes: documentBytesMax }),
  refuse: (error, { requestId }) => refusalOf(error, requestId, parts),
});
