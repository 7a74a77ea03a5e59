import type { TestProject } from 'vitest/node';
import { buildPage } from '#infra/ui/build.ts';
import { findChromium } from '#infra/ui/chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Empty where the machine has no browser. */
    readonly browser: string;
  }
}

/** Builds the page and finds Chromium. */
export async function setup(project: TestProject): Promise<void> {
  await buildPage();
  const browser = findChromium();
  if ('problem' in browser) process.stdout.write(`the journeys in a browser are skipped: ${browser.problem}\n`);
  project.provide('browser', 'path' in browser ? browser.path : '');
}
