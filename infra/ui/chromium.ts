import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const installMsMax = 600_000;

const found = (): string | undefined => programs.find((path) => existsSync(path));

/** The program of Chromium; where a package of Debian can be installed, it is. Otherwise why there is none. */
export function findChromium(): { readonly path: string } | { readonly problem: string } {
  const problem = found() === undefined ? install() : undefined;
  const path = found();
  if (path !== undefined) return { path };
  return { problem: problem ?? 'the package chromium-headless-shell has no program that is known' };
}

function install(): string | undefined {
  if (process.getuid?.() !== 0)
    return 'there is no Chromium, and only root may install the package chromium-headless-shell';
  const options = {
    stdio: 'inherit',
    timeout: installMsMax,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  spawnSync('apt-get', ['update', '--quiet'], options);
  const { status } = spawnSync(
    'apt-get',
    ['install', '--yes', '--no-install-recommends', 'chromium-headless-shell'],
    options,
  );
  return status === 0 ? undefined : 'there is no Chromium, and apt-get cannot install chromium-headless-shell';
}
