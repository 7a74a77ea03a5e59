import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { buildPage } from '#infra/ui/build.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Empty where the machine has no browser. */
    readonly browser: string;
  }
}

const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const installMsMax = 600_000;

const found = (): string | undefined => programs.find((path) => existsSync(path));

/** Builds the page and finds Chromium; where a package of Debian can be installed, installs it. */
export async function setup(project: TestProject): Promise<void> {
  await buildPage();
  const problem = found() === undefined ? install() : undefined;
  if (problem !== undefined) process.stdout.write(`the journeys in a browser are skipped: ${problem}\n`);
  project.provide('browser', found() ?? '');
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
