import type { EngineDefinition } from './contract.ts';
import { kvV1 } from './kv/v1/index.ts';
import { kvV2 } from './kv/v2/index.ts';

/** The secrets engines. To add one, create a folder beside these and add a line here. */
export const engines: readonly EngineDefinition[] = [kvV1, kvV2];
