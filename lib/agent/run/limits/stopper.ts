import type { ChildProcess } from 'node:child_process';
import type { Stopped } from '../command.ts';

/** What a run that writes too much, or hides what it writes, has to write its state, in milliseconds: it goes on writing meanwhile. */
const diskGraceMsMax = 5_000;

/** Stops the process group of a command. */
export class Stopper {
  /** Why it was stopped first. */
  reason: Stopped | undefined;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, graceMs: number) {
    this.#child = child;
    this.#graceMs = graceMs;
  }

  /** The engine stops cleanly when it is interrupted, and writes the state of what it has done. */
  stop(reason: Stopped): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    killGroup(this.#child, 'SIGINT');
    const graceMs = reason === 'disk' || reason === 'hidden' ? Math.min(this.#graceMs, diskGraceMsMax) : this.#graceMs;
    this.#timer = setTimeout(() => killGroup(this.#child, 'SIGKILL'), graceMs);
  }

  /** Kills the group at once. */
  kill(reason: Stopped): void {
    this.reason ??= reason;
    killGroup(this.#child, 'SIGKILL');
  }

  /** Kills what the command has left behind. */
  end(): void {
    clearTimeout(this.#timer);
    killGroup(this.#child, 'SIGKILL');
  }
}

/** The group may have ended already. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}
