import { inject } from 'vitest';
import { definitions as all } from '../../../../lib/destinations/index.ts';

/** The one type of the trial, instead of all. */
export const definitions = all.filter(({ type }) => type === inject('trial').type);
