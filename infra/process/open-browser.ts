import { spawn } from 'node:child_process';

/** What opens an address on a platform; the address comes last. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...first: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser of the user, without a shell. Where there is none, nothing happens. */
export function openBrowser(address: string): void {
  const [program, ...first] = openers[process.platform] ?? ['xdg-open'];
  spawn(program, [...first, address], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref();
}
