import { tokenMethod } from '../token/rows/index.ts';
import { approle } from './approle/index.ts';
import type { AuthMethod } from './contract.ts';
import { jwtMethod } from './jwt/index.ts';
import { orchestratorMethod } from './orchestrator/index.ts';
import { userpass } from './userpass/index.ts';

/** The auth methods. A new one is a folder beside this file and a line here. Tokens have no login: they are made of tokens. */
export const methods: readonly AuthMethod[] = [tokenMethod, userpass, approle, orchestratorMethod, jwtMethod];
