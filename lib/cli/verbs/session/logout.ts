import { auth } from '#client/operations/auth.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { readTokenFile, removeTokenFile, tokenFileIn } from '../../settings/token-file.ts';
import type { Verb } from '../../verb.ts';

export const logout: Verb = {
  name: 'logout',
  summary: 'Revoke the token and forget it',
  options: [['--keep-token', 'forget the token without revoking it']],
  examples: ['keyferry logout'],
  async run({ client, settings, host, say }, given) {
    const { token } = settings.connection;
    if (token === undefined) {
      say('there is no token');
      return undefined;
    }
    if (!given.flag('keepToken')) {
      await client.call(auth.revokeSelf, {}).catch((error: unknown) => {
        // A token that the server does not know is as good as revoked.
        if (!(error instanceof CallFailure && error.isTokenInvalid)) throw error;
      });
      say('the token is revoked');
    }
    if (readTokenFile(host.home) === token.reveal()) {
      removeTokenFile(host.home);
      say(`${tokenFileIn(host.home)} is removed`);
    }
    return undefined;
  },
};
