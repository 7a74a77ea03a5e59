import { definition as cloudASm } from './cloud-a-sm/index.ts';
import { definition as cloudBKv } from './cloud-b-kv/index.ts';
import { definition as cloudCSm } from './cloud-c-sm/index.ts';
import type { DestinationDefinition } from './contract.ts';
import { definition as deployHostProject } from './deploy-host-project/index.ts';
import { definition as repoHost } from './repo-host/index.ts';
import { definition as workspaceVars } from './workspace-vars/index.ts';

/**
 * All destination types. A new type is a folder and a line here: help, OpenAPI, validation, the names in both vocabularies and the
 * contract tests follow from this list. It loads no SDK, so the API and each worker can import it.
 */
export const definitions: readonly DestinationDefinition[] = [
  cloudASm,
  cloudBKv,
  cloudCSm,
  repoHost,
  deployHostProject,
  workspaceVars,
];
