import type { Operation } from '../operation.ts';

/** The OpenAPI documents of both services. */
export const specs = {
  secrets: { method: 'GET', path: 'sys/internal/specs/openapi' },
  workspaces: { service: 'v2', method: 'GET', path: 'openapi.json' },
} as const satisfies Record<string, Operation>;
