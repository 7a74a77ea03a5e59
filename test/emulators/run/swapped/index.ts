import { inject } from 'vitest';
import { definitions as all } from '#destinations/index.ts';

/** Only the type of the trial. */
export const definitions = all.filter(({ type }) => type === inject('trial').type);
