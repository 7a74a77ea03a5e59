import type { Engine } from '#path/contract/engine.ts';
import type { IdentityParts } from '../parts.ts';
import { entityRows } from './entities.ts';
import { entityAliasRows } from './entity-aliases.ts';
import { groupAliasRows } from './group-aliases.ts';
import { groupRows } from './groups.ts';
import { lookupRows } from './lookup.ts';
import { mergeRow } from './merge.ts';

/** Entities and groups: one entity is one user or machine, however it logs in. */
export const identityEngine = (parts: IdentityParts): Engine => ({
  type: 'identity',
  always: { path: 'identity/', description: 'identity store' },
  rows: [
    ...entityRows(parts),
    mergeRow(parts),
    ...entityAliasRows(parts),
    ...groupRows(parts),
    ...groupAliasRows(parts),
    ...lookupRows(parts),
  ],
});
