import { codesOfHeader } from '#auth/mfa/codes/header.ts';
import type { PassMethods } from '#auth/mfa/codes/path.ts';
import type { Exchange } from '../exchange.ts';
import type { Stage } from '../stage.ts';

/**
 * A policy rule may require codes of TOTP methods. They are checked after the rule has granted everything else, so that callers
 * without access learn nothing about its methods.
 */
export const mfaStages = (pass: PassMethods): readonly Stage[] => [
  { at: 'address', before: mustBeReadable }, //                                  400
  { at: 'authorise', before: (exchange) => passMethods(pass, exchange) }, //     403
];

function mustBeReadable({ incoming }: Exchange): void {
  codesOfHeader(incoming.headers);
}

function passMethods(pass: PassMethods, { decision, caller, incoming, context }: Exchange): Promise<void> | undefined {
  if (decision?.allowed !== true || decision.mfaMethods.length === 0 || caller === undefined) return undefined;
  const { mfaMethods } = decision;
  return pass(caller, mfaMethods, incoming.headers).then(() => {
    if (context !== undefined) context.mfaPassed = mfaMethods;
  });
}
