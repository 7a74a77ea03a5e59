import { GitFailure } from './settings.ts';

/** What git says in English, and what it means for people. The first match counts. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/Host key verification failed/i, 'the key of the SSH host is not known to this service'],
  [/redirect|returned error: 30\d/i, 'the server redirects to another address, which is not followed'],
  [
    /Authentication failed|could not read (Username|Password)|returned error: 40[13]|Permission denied|HTTP Basic: Access denied/i,
    'the server refused the credential',
  ],
  [
    /not found|does not exist|returned error: 404|does not appear to be a git repository/i,
    'the repository does not exist, or the credential may not read it',
  ],
  [/couldn't find remote ref|not our ref|unadvertised object|no such ref/i, 'the repository does not have the commit'],
  [/certificate|SSL/i, 'the certificate of the server is not trusted'],
  [/transport '.*' not allowed/i, 'the repository is reached by http, https or ssh'],
  [/unable to find remote helper|cannot run ssh|ssh: not found/i, 'this machine cannot reach repositories this way'],
];

/** The failure behind a command of git. `failure`: what the guard or the network said of its connection. */
export function failureOf(complaint: string, failure: string | undefined): GitFailure {
  if (failure !== undefined) return new GitFailure(failure, { isTemporary: !failure.startsWith('strict networking') });
  const known = meanings.find(([pattern]) => pattern.test(complaint));
  if (known !== undefined) return new GitFailure(known[1]);
  return new GitFailure('the server did not deliver the repository', { isTemporary: true });
}
