import { nameTypes } from '../path/vocabulary.ts';
import { definition as cloudASm } from './cloud-a-sm/index.ts';
import { definition as cloudBKv } from './cloud-b-kv/index.ts';
import { definition as cloudCSm } from './cloud-c-sm/index.ts';
import type { DestinationDefinition } from './contract.ts';
import { definition as deployHostProject } from './deploy-host-project/index.ts';
import { definition as repoHost } from './repo-host/index.ts';
import { definition as workspaceVars } from './workspace-vars/index.ts';

/**
 * Every destination type: a new one is a folder and a line here. Help, OpenAPI, validation and the contract tests go by
 * this list, and the vocabulary has the names of the types from it. It loads no SDK, so the API and each worker can import it.
 */
export const definitions: readonly DestinationDefinition[] = [
  cloudASm,
  cloudBKv,
  cloudCSm,
  repoHost,
  deployHostProject,
  workspaceVars,
];

nameTypes(definitions);
