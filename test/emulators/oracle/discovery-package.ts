import { run } from '../install/install.ts';

const client = 'google-api-python-client==2.202.0';

/** Puts Google's Python client, without what it needs to run, into a folder. It brings the descriptions along. */
export async function installDiscovery(folder: string): Promise<string> {
  await run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--upgrade',
    '--target',
    folder,
    client,
  ]);
  return client;
}
