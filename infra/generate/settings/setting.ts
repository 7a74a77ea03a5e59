import type { Config } from '#core/config.ts';

/**
 * A process that reads settings. `all`: API, worker and sweep, as processes and as functions. `functions`: the deployed
 * functions of the processes that the setting also names.
 */
export type Reader =
  | 'all'
  | 'API'
  | 'worker'
  | 'sweep'
  | 'functions'
  | 'backup'
  | 'restore'
  | 'development server'
  | 'agent';

export type SettingName = keyof Config;

/** What docs/configuration.md says of a setting. */
export interface Setting {
  /** Markdown; links are relative to `docs/`. */
  readonly meaning: string;
  readonly readers: readonly Reader[];
  /** Where the default follows from other settings. Absent: the default of the configuration's schema. */
  readonly default?: string;
}

export const service: readonly Reader[] = ['all'];
export const database: readonly Reader[] = [...service, 'backup', 'restore'];
export const api: readonly Reader[] = ['API', 'functions'];
export const worker: readonly Reader[] = ['worker', 'functions'];
export const apiAndWorker: readonly Reader[] = ['API', 'worker', 'functions'];
export const callers: readonly Reader[] = ['API', 'worker', 'sweep', 'functions'];
export const apiAndSweep: readonly Reader[] = ['API', 'sweep', 'functions'];
export const borrowers: readonly Reader[] = ['worker', 'sweep', 'functions'];
export const listener: readonly Reader[] = ['API'];
export const agent: readonly Reader[] = ['agent'];
export const development: readonly Reader[] = ['development server'];
