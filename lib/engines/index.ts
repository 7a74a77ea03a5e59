import type { EngineDefinition } from './contract.ts';
import { kvV1 } from './kv/v1/index.ts';
import { kvV2 } from './kv/v2/index.ts';

/** The engines of secrets. A new one is a folder beside these and a line here. */
export const engines: readonly EngineDefinition[] = [kvV1, kvV2];
