import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes the paths of the test files that failed to a file, one a line, so that they can be run again by themselves. */
export class FailedFiles implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => !module.ok()).map(({ relativeModuleId }) => relativeModuleId);
    writeFileSync(this.#file, failed.map((path) => `${path}\n`).join(''));
  }
}
