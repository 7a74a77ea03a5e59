import { serverUser } from '../account.ts';

/** The arguments that name its data folder to a program of PostgreSQL. */
export interface DataFolder {
  readonly argument: string;
  readonly cwd: string;
}

/**
 * Another user may not pass the folders above, so it is started in the data folder, and its argument is the name that the kernel
 * has for it. PostgreSQL stays there as long as it runs.
 */
export const dataFolderOf = (path: string): DataFolder => ({
  argument: serverUser === undefined ? path : '/proc/self/cwd',
  cwd: path,
});
