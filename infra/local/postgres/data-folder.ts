import { serverUser } from '../account.ts';

/** How a program of PostgreSQL receives its data folder. */
export interface DataFolder {
  readonly argument: string;
  /** Opened for the program if it may not enter the folders above. */
  readonly folder?: string;
}

/**
 * Another user may not enter the folders above, so the program gets the folder as an open file, and its argument is the kernel's name
 * for that file. Starting it in the folder does not work: releases before 16 leave the folder that they are started in.
 */
export const dataFolderOf = (path: string): DataFolder =>
  serverUser === undefined ? { argument: path } : { argument: '/proc/self/fd/3', folder: path };
