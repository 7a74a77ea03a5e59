import type { Engine } from '#path/contract/engine.ts';
import type { OidcParts } from '../parts.ts';
import { keyRows } from './keys.ts';
import { assignmentRows } from './provider/assignments.ts';
import { clientRows } from './provider/clients.ts';
import { documentRows } from './provider/documents.ts';
import { loginRows } from './provider/login.ts';
import { providerRows } from './provider/providers.ts';
import { scopeRows } from './provider/scopes.ts';
import { roleRows } from './roles.ts';
import { tokenRows } from './tokens.ts';
import { wellKnownRows } from './well-known.ts';

/** Rows of `identity/` in addition to those of entities and groups: this service as a provider of identity tokens. */
export const identityTokens = (parts: OidcParts): Engine => ({
  type: 'identity',
  rows: [
    ...tokenRows(parts),
    ...keyRows(parts.store),
    ...roleRows(parts.store),
    ...wellKnownRows(parts),
    ...assignmentRows(parts.store),
    ...scopeRows(parts.store),
    ...clientRows(parts.store),
    ...providerRows(parts),
    ...documentRows(parts),
    ...loginRows(parts),
  ],
});
