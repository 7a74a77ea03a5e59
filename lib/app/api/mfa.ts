import { finishLogin } from '#auth/login/operation.ts';
import { methodsPasser } from '#auth/mfa/codes/path.ts';
import { validateRow } from '#auth/mfa/login/validate.ts';
import { enforcementRows } from '#auth/mfa/rows/enforcements.ts';
import { methodByIdRows } from '#auth/mfa/rows/methods-by-id.ts';
import { methodRows } from '#auth/mfa/rows/methods-by-name.ts';
import type { TokenParts } from '#auth/token/parts.ts';
import type { Stage } from '#http/v1/stage.ts';
import { mfaStages } from '#http/v1/stages/mfa-stage.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Row } from '#path/contract/row.ts';

/** What multi-factor authentication adds to the API. */
export interface Mfa {
  /** Rows of `sys/`. */
  readonly system: readonly Row[];
  /** Rows of `identity/` in addition to those of entities and groups. */
  readonly identity: Engine;
  readonly stages: readonly Stage[];
}

export const openMfa = (parts: TokenParts): Mfa => ({
  system: [...methodRows(parts.store), validateRow({ store: parts.store, finish: finishLogin(parts) })],
  identity: { type: 'identity', rows: [...methodByIdRows(parts.store), ...enforcementRows(parts.store)] },
  stages: mfaStages(methodsPasser(parts.store)),
});
