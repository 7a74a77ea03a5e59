import { approle } from './approle/index.ts';
import type { AuthMethod } from './contract.ts';
import { jwtMethod } from './jwt/index.ts';
import { orchestratorMethod } from './orchestrator/index.ts';
import { tokenMethod } from './token/index.ts';
import { userpass } from './userpass/index.ts';

/** The auth methods. A new one is a folder beside this file and a line here. */
export const methods: readonly AuthMethod[] = [tokenMethod, userpass, approle, orchestratorMethod, jwtMethod];
