import { serverUser } from '../account.ts';

/** How a program of PostgreSQL is handed its data folder. */
export interface DataFolder {
  readonly argument: string;
  /** Opened for the program where it cannot find the way to it. */
  readonly folder?: string;
}

/**
 * Another user may not pass the folders above, so the program gets the folder as an open file, and its argument is the name that the
 * kernel has for that. Starting it in the folder would not do: releases before 16 leave the folder that they are started in.
 */
export const dataFolderOf = (path: string): DataFolder =>
  serverUser === undefined ? { argument: path } : { argument: '/proc/self/fd/3', folder: path };
