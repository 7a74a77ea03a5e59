import { run } from '../install/install.ts';

const client = 'google-api-python-client==2.202.0';

/** Installs Google's Python client without its dependencies into a folder. It contains the descriptions. */
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
